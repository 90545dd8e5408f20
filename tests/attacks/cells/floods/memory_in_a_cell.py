# A cell takes all memory and keeps what it got; the exercises get along with what is left.
#
# /// expect
# ///

# %% greedy
kept = []
try:
    while True:
        kept.append(bytearray(2**20))
except MemoryError:
    del kept[-200:]
