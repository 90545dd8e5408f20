# A cell awaits what never comes.
#
# /// expect
# status = "timeout"
# patient = false
# ///

# %% waiting
import asyncio

await asyncio.Event().wait()
