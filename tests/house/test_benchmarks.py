"""Benchmarks, which no type checker reads, find the names that they import.

Those that end on `_side` run in the environments of other projects.
"""

from pathlib import Path

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
IMPORTING = """
import importlib
for name in NAMES:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:  # of another project that is measured beside ours
        if error.name.partition(".")[0] in ("openiir", *NAMES):
            raise
"""


def test_every_benchmark_can_be_imported(run_page, tmp_path):
    names = sorted(path.stem for path in BENCHMARKS.glob("*.py") if not path.stem.endswith("_side"))
    assert "pairs" in names
    (tmp_path / "page.py").write_text(f"NAMES = {names}\n{IMPORTING}", encoding="utf-8")
    code, printed = run_page(tmp_path)
    assert code == 0, printed
