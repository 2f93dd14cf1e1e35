"""Notebooks among the examples: each is the script beside it, executed, and small."""

import json
from pathlib import Path

import pytest
from percent import cells

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted((ROOT / "examples" / "notebook").glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_notebook_is_its_script_executed(script: Path) -> None:
    notebook = script.with_suffix(".ipynb")
    found = json.loads(notebook.read_text("utf-8"))["cells"]
    kept = [(cell["cell_type"], "".join(cell["source"])) for cell in found]
    assert kept == list(cells(script.read_text("utf-8"))), (
        "record it anew: python tests/golden/record_notebook.py"
    )
    outputs = [output for cell in found if cell["cell_type"] == "code" for output in cell["outputs"]]
    assert all(cell["execution_count"] for cell in found if cell["cell_type"] == "code")
    assert not [output for output in outputs if output["output_type"] == "error"]
    pictures = [kind for output in outputs for kind in output.get("data", {}) if kind.startswith("image/")]
    drawn = [output for output in outputs if "<svg" in "".join(output.get("data", {}).get("text/html", ""))]
    assert pictures and drawn and notebook.stat().st_size < 300_000
