"""Executes the scripts of examples/notebook and keeps each as a notebook beside it, with what its cells gave.

Needs nbclient and ipykernel, which nothing else here does: `pip install nbclient ipykernel`.
"""

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "shared"))

from percent import cells  # noqa: E402


def record(script: Path) -> None:
    """Execute a script as a notebook in an empty folder."""
    import nbformat
    from nbclient import NotebookClient

    made = {"code": nbformat.v4.new_code_cell, "markdown": nbformat.v4.new_markdown_cell}
    parts = [
        made[kind](text, id=f"cell-{n}") for n, (kind, text) in enumerate(cells(script.read_text("utf-8")), 1)
    ]
    notebook = nbformat.v4.new_notebook(cells=parts)
    os.environ["PYTHONWARNINGS"] = "ignore"  # a warning names folders of this machine
    with TemporaryDirectory() as folder:
        client = NotebookClient(
            notebook, timeout=600, record_timing=False, resources={"metadata": {"path": folder}}
        )
        client.execute()
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    script.with_suffix(".ipynb").write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for path in sorted((ROOT / "examples" / "notebook").glob("*.py")):
        record(path)
