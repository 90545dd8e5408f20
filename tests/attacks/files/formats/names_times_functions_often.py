# Twenty cells whose every name is looked at again for every function in them: minutes for the
# compiler. They come before the first exercise.
#
# /// expect
# seldom = true
# ///

from tests.attacks.files.formats import names_times_functions


def hand_in(notebook, path):
    names_times_functions.hand_in(notebook, path, cells=20)
