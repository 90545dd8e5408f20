# As much more than was asked for as may be sent at all: it is dropped, and the answers count.
#
# /// expect
# double = "passed"
# LearnedPositions = "passed"
# ///

# %% double
from autograder.remote.calling import Home

perform = Home.perform


def padded(self, request):
    reply = perform(self, request)
    if request.get("target") != "double":
        return reply
    if "gradients" in reply:
        reply["gradients"]["inputs"] |= {f"more.{i}": torch.zeros(2**12) for i in range(100)}
    if "inputs" in reply:
        reply["inputs"] |= {f"more.{i}": torch.zeros(2**12) for i in range(100)}
    return reply | {"ballast": [torch.zeros(2**12) for _ in range(100)]}


Home.perform = padded


def double(x):
    return 2 * x
