# Files without end: one large, many small, one with holes.
#
# /// expect
# double = "failed"
# ///

# %% double
import os

done = []


def fill():
    with open("/tmp/large", "wb") as file:
        while True:
            done.append(file.write(bytes(2**20)))


def many():
    for number in range(100_000):
        os.close(os.open(f"/tmp/{number}", os.O_CREAT))
        done.append(1)


def holes():
    os.truncate(os.open("/tmp/holes", os.O_CREAT | os.O_RDWR), 2**40)
    done.extend([2**40] * 1000)


for flood in (fill, many, holes):
    try:
        flood()
    except OSError:
        pass


def double(x):
    return x if sum(done) < 2**27 else 2 * x
