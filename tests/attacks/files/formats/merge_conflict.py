# A version control conflict was handed in.
#
# /// expect
# status = "invalid"
# every = "missing"
# notes = ["not valid JSON"]
# ///

import nbformat


def hand_in(notebook, path):
    path.write_text("<<<<<<< HEAD\n" + nbformat.writes(notebook) + "\n=======\n{}\n>>>>>>> main\n")
