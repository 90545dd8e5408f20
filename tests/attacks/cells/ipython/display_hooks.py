# The display hook, the publisher and the output streams are replaced by ones that say full marks.
#
# /// expect
# double = "failed"
# ///

# %% double
import sys

shell = get_ipython()


class Loud:
    def write(self, text):
        return 0

    def flush(self):
        pass

    def publish(self, *a, **k):
        pass

    def __call__(self, *a):
        pass

    def __getattr__(self, name):
        return self


shell.displayhook = shell.display_pub = sys.displayhook = sys.stdout = sys.stderr = Loud()


def double(x):
    return [6.0]
