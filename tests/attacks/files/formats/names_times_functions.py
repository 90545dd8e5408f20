# A cell whose every name is looked at again for every function in it: seconds for the compiler.
# It comes before the first exercise.
#
# /// expect
# ///

from nbformat.v4 import new_code_cell

from tests.attacks.corpus import save


def hand_in(notebook, path, cells=1):
    names = "\n".join(f" a{number}=0" for number in range(14_000))
    source = f"if 0:\n class A:\n  pass\ndef f():\n{names}\n" + " lambda:0\n" * 6_000
    for number in range(cells):
        cell = new_code_cell(f"{source}# {number}", id=f"names-{number}")
        notebook.cells.insert(2, cell)
    save(notebook, path)
