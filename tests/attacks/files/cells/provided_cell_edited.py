# What the course provides is replaced by code that cheats.
#
# /// expect
# notes = ["the locked cell provided-scaled_dot_product_scores was edited"]
# ///

from tests.attacks.corpus import cell_of, save


def hand_in(notebook, path):
    cell_of(notebook, "provided-scaled_dot_product_scores").source = "raise SystemExit"
    save(notebook, path)
