"""Can every model that a notebook keeps be handed to the page?"""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODELS = sorted((ROOT / "book" / "_static" / "models").glob("*.safetensors"))


@pytest.mark.parametrize("file", MODELS, ids=lambda file: file.stem)
def test_a_models_file_becomes_one_script(file, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "book" / "_ext"))
    from page_models import script

    assert script(file).startswith(f'attention.models["{file.stem}"] = {{"sizes": {{')
