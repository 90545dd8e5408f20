# A format older than any that is graded.
#
# /// expect
# status = "invalid"
# every = "missing"
# notes = ["not a notebook"]
# ///

import json


def hand_in(notebook, path):
    path.write_text(json.dumps({"nbformat": 1, "cells": notebook.cells}))
