# The gradebook is opened, read and written.
#
# /// expect
# double = "failed"
# ///

# %% double
import os, sqlite3


def double(x):
    return x


for place in ("@COURSE@/gradebook.db", "gradebook.db", "../gradebook.db", "/gradebook.db"):
    try:
        book = sqlite3.connect(f"file:{place}?mode=rw", uri=True)
        book.execute("update grade set auto_score = 100")
        book.commit()
    except sqlite3.Error:
        continue

    def double(x):
        return 2 * x
