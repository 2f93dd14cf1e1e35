"""Runs replay on processors with other vector instructions: `make test-cpus` tries the reference studies,
too."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

from openiir.runs.execute import LocalOptions, RunOrder, run_studies

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden"
ASKED = bool(os.environ.get("OPENIIR_TEST_CPUS"))
LEVELS = [name for name in __cpu_dispatch__ if __cpu_features__[name]]
"""Vector instructions that NumPy has code for and this processor has, the oldest first."""
KERNELS = ("Haswell", "Prescott")
"""Processors whose code OpenBLAS is told to run: with AVX2, and with SSE3 alone."""
SETTINGS: dict[str, Mapping[str, str]] = {
    **{
        f"no {level}, {kernel}": {
            "NPY_DISABLE_CPU_FEATURES": " ".join(LEVELS[LEVELS.index(level) :]),
            "OPENBLAS_CORETYPE": kernel,
        }
        for level, kernel in zip(("X86_V4", "X86_V3"), KERNELS, strict=True)
        if level in LEVELS
    },
    "last bits shaken": {"OPENIIR_TEST_SHAKE": "1"},
}
TYPES = sorted(
    path.name for path in (ROOT / "src/openiir/scenarios").iterdir() if (path / "reference").is_dir()
)


def replay(folders: Sequence[Path], setting: str, place: Path) -> dict[str, str]:
    """Replay runs under a setting; returns by name the content hash, or the first difference."""
    script = ROOT / "tests" / "shared" / "replay_runs.py"
    done = subprocess.run(
        [sys.executable, str(script), *map(str, folders)],
        env=os.environ | SETTINGS[setting],
        cwd=place,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return dict(line.split(" ", 1) for line in done.stdout.splitlines())


@pytest.mark.parametrize("setting", SETTINGS)
def test_golden_runs_replay_under_other_instructions(setting: str, tmp_path: Path) -> None:
    manifests = {path.parent: json.loads(path.read_text()) for path in sorted(GOLDEN.glob("*/manifest.json"))}
    assert {one["type"] for one in manifests.values()} == set(TYPES)
    recorded = {folder.name: one["content"] for folder, one in manifests.items()}
    assert replay([*manifests], setting, tmp_path) == recorded


@pytest.fixture(scope="module", params=TYPES if ASKED else [])
def reference(request: Any, tmp_path_factory: Any) -> tuple[Path, str]:
    """The run of a type's reference study, with its content hash."""
    folder = tmp_path_factory.mktemp("reference") / request.param
    return folder, run_studies([request.param], RunOrder(out=folder), LocalOptions(shown=False))[0].content


@pytest.mark.skipif(
    not ASKED, reason="reference studies under other instructions are tried by `make test-cpus`"
)
@pytest.mark.parametrize("setting", SETTINGS)
def test_a_reference_study_replays_under_other_instructions(
    setting: str, reference: tuple[Path, str], tmp_path: Path
) -> None:
    folder, content = reference
    assert replay([folder], setting, tmp_path) == {folder.name: content}
