"""Can every model that a notebook keeps be handed to the page?"""

import json
from base64 import b64decode
from pathlib import Path

import pytest
from lab import live

ROOT = Path(__file__).resolve().parents[2]
MODELS = sorted((ROOT / "book" / "_static" / "models").glob("*.safetensors"))


@pytest.mark.parametrize("file", MODELS, ids=lambda file: file.stem)
def test_a_models_file_becomes_one_script(file, extension):
    script = extension("page_models").script
    assert script(file).startswith(f'attention.models["{file.stem}"] = {{"sizes": {{')


def test_a_page_loads_the_scripts_of_its_own_figures_alone(extension):
    models = extension("page_models")
    needed = models.needed
    figures = ["live", *sorted(models.KINDS.union(*models.PARTS.values()))]
    scripts = ["_static/attention.js", *(f"_static/{name}.js" for name in figures)]
    assert all((ROOT / "book" / script).exists() for script in scripts)
    assert needed(scripts, "<p>no figure</p>") == scripts[:1]
    page = live.writing_figure("writer", "a", "A figure.", "writing")._repr_html_()
    wanted = ["_static/attention.js", "_static/live.js", "_static/writing.js"]
    assert needed(scripts, page) == wanted
    page = live.encoding_figure("a", 0, 0, "a", ("b",), "A figure.", "one")._repr_html_()
    wanted = ["encoding.js", "live.js", "wordpiece.js"]
    assert sorted(needed(scripts, page)) == [f"_static/{one}" for one in ("attention.js", *wanted)]


def test_a_large_file_comes_in_pieces_that_fit_together(tmp_path, extension, monkeypatch):
    page_models = extension("page_models")
    monkeypatch.setattr(page_models, "PIECE", 40)
    file = tmp_path / "large.safetensors"
    file.write_bytes(bytes(range(100)))
    file.with_suffix(".json").write_text('{"sizes": {"num_layers": 2, "num_heads": 3}}')
    page_models.write(file, tmp_path / "models")
    written = {path.stem: path.read_text() for path in (tmp_path / "models").iterdir()}
    assert set(written) == {"large", *(f"large-{piece}" for piece in range(1, 5))}
    handed = {
        name: json.loads(text.removeprefix(f'attention.models["{name}"] = ').strip(";\n"))
        for name, text in written.items()
    }
    assert handed["large"] == {"sizes": {"num_layers": 2, "num_heads": 3}, "pieces": 4}
    pieces = [handed[f"large-{piece}"]["file"] for piece in range(1, 5)]
    assert b"".join(map(b64decode, pieces)) == bytes(range(100))  # each of them whole by itself
    size = sum(map(len, written.values())) / 1e6
    assert page_models.attributes(file) == {"size": f"{size:.1f} MB", "heads": "2x3"}
