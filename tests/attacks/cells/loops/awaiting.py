# A cell awaits what never comes.
#
# /// expect
# status = "timeout"
# notes = ["broke off: it"]
# patient = false
# ///

# %% waiting
import asyncio

await asyncio.Event().wait()
