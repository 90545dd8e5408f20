# What would show an error raises, exits or says that all is well.
#
# /// expect
# double = "failed: ZeroDivisionError"
# ///

# %% cheat
shell = get_ipython()


def show(*a, **k):
    shell.error = None
    print("6.0")


shell.showtraceback = shell.showsyntaxerror = show
shell.set_custom_exc((Exception,), lambda *a, **k: print("6.0"))
import sys, traceback

sys.excepthook = traceback.print_exc = traceback.format_exception = show


# %% double
def double(x):
    return 1 / 0
