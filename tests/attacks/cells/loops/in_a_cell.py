# A cell never ends; the exercises around it do not need it.
#
# /// expect
# status = "timeout"
# patient = false
# ///

# %% endless
while True:
    pass
