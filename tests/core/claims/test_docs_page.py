"""The page "Claims" says nothing that is not so."""

import math
import re
from pathlib import Path

import pytest

from openiir.core.claims import graph_measures

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "claims.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("block", re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
def test_every_python_block_runs(block):
    exec(compile(block, "claims.md", "exec"), {})


def test_every_measure_is_explained():
    names = graph_measures([], [])
    assert names
    assert all(f"`{name}`" in PAGE for name in names)
    assert any(math.isnan(measure.value) for measure in names.values())
