# An object that NumPy takes for an array, with another content each time.
#
# /// expect
# double = "failed"
# softmax = "memory: it ran out of memory"
# status = "memory"
# ///

# %% double
import numpy


class Array:
    dtype, shape, count = numpy.dtype("float32"), (3, 4), 0

    def __array__(self, *a, **k):
        Array.count += 1
        return numpy.full((3, 4), Array.count, dtype="float32")


def double(x):
    return Array()


# %% softmax
class Faulty:
    dtype = "no dtype"
    __array_interface__ = {"shape": (2**40,), "typestr": "<f4", "data": (8, False), "version": 3}

    def __array__(self, *a, **k):
        raise SystemExit


def softmax(scores, dim=-1):
    return Faulty()
