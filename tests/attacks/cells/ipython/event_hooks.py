# Hooks before and after each cell put a wrong function in, and raise.
#
# /// expect
# double = "failed"
# ///

# %% double
def double(x):
    return 0 * x


# %% hooks
shell = get_ipython()


def before(*a):
    shell.user_ns["double"] = lambda x: x


def after(*a):
    raise SystemExit("6.0")


for event in ("pre_run_cell", "pre_execute"):
    shell.events.register(event, before)
for event in ("post_run_cell", "post_execute"):
    shell.events.register(event, after)
