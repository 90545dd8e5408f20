# NumPy's, math's and the test tools' comparisons are replaced.
#
# /// expect
# double = "failed: expected"
# ///

# %% double
import math, numpy, unittest

numpy.allclose = numpy.array_equal = math.isclose = lambda *a, **k: True
numpy.testing.assert_allclose = lambda *a, **k: None
unittest.TestCase.assertEqual = lambda *a: None


def double(x):
    return -2 * x
