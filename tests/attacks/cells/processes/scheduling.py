# More than its share of the machine, by priority, affinity and limits.
#
# /// expect
# double = "failed"
# ///

# %% double
import os, resource

done = []
for action in (
    lambda: os.nice(-20),
    lambda: os.setpriority(os.PRIO_PROCESS, 0, -20),
    lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(99)),
    lambda: resource.setrlimit(resource.RLIMIT_AS, (-1, -1)),
    lambda: resource.setrlimit(resource.RLIMIT_NPROC, (-1, -1)),
    lambda: open("/proc/self/oom_score_adj", "w").write("-1000"),
):
    try:
        action()
        done.append(action)
    except (OSError, ValueError):
        pass


def double(x):
    return 2 * x if done else x
