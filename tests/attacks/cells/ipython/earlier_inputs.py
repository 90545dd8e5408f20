# What was typed and shown before is searched for answers: there are only the notebook's own cells.
#
# /// expect
# double = "failed"
# ///

# %% double
def double(x):
    return x


texts = [str(each) for each in [*In[:-1], *Out.values()]]
if any("def double" in text or "expected" in text for text in texts):

    def double(x):
        return 2 * x
