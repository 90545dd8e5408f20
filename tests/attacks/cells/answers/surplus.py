# Right answers, and with them what nobody asked for: gradients by the hundred, ballast by the
# megabyte in every part of a reply. It is not looked at.
#
# /// expect
# double = "crashed: it sent what cannot be read"
# status = "crashed"
# ///

# %% double
from autograder.remote.calling import Home

perform = Home.perform


def padded(self, request):
    reply = perform(self, request)
    if request.get("target") != "double":
        return reply
    if "gradients" in reply:
        surplus = {f"more.{i}": torch.zeros(2**17) for i in range(100)}
        reply["gradients"]["parameters"] |= surplus
    return reply | {"ballast": ["x" * 10_000] * 100}


Home.perform = padded


def double(x):
    return 2 * x
