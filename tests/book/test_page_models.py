"""Can every model that a notebook keeps be handed to the page?"""

from pathlib import Path

import pytest
from lab import live

ROOT = Path(__file__).resolve().parents[2]
MODELS = sorted((ROOT / "book" / "_static" / "models").glob("*.safetensors"))


@pytest.mark.parametrize("file", MODELS, ids=lambda file: file.stem)
def test_a_models_file_becomes_one_script(file, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "book" / "_ext"))
    from page_models import script

    assert script(file).startswith(f'attention.models["{file.stem}"] = {{"sizes": {{')


def test_a_page_loads_the_scripts_of_its_own_figures_alone(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "book" / "_ext"))
    from page_models import KINDS, needed

    figures = ["live", *sorted(KINDS)]
    scripts = ["_static/attention.js", *(f"_static/{name}.js" for name in figures)]
    assert all((ROOT / "book" / script).exists() for script in scripts)
    assert needed(scripts, "<p>no figure</p>") == scripts[:1]
    page = live.writing_figure("writer", "a", "A figure.", "writing")._repr_html_()
    wanted = ["_static/attention.js", "_static/live.js", "_static/writing.js"]
    assert needed(scripts, page) == wanted
