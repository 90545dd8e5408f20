# Tags, ids, languages and titles that pages put into their tags.
#
# /// expect
# ///

from tests.attacks.corpus import save


def hand_in(notebook, path):
    markup = '"><script>alert(1)</script>'
    for cell in notebook.cells:
        cell.id = markup
        cell.metadata["tags"] = [markup]
        cell.metadata["name"] = cell.metadata["slideshow"] = markup
    notebook.metadata = {
        "title": markup,
        "language_info": {"name": markup},
        "kernelspec": {"name": markup},
    }
    save(notebook, path)
