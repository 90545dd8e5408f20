# Containers that never end when somebody walks through them.
#
# /// expect
# double = "timeout: it did not finish in time"
# status = "timeout"
# patient = false
# ///

# %% double
class Endless(list):
    def __iter__(self):
        while True:
            yield None.__class__
            self.clear()

    def __len__(self):
        return 2


class Quiet(Endless):
    def __iter__(self):
        while True:
            pass


def double(x):
    return Quiet([1])
