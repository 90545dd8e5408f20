# A cell never ends; the exercises around it do not need it.
#
# /// expect
# status = "timeout"
# notes = ["broke off: it"]
# patient = false
# ///

# %% endless
while True:
    pass
