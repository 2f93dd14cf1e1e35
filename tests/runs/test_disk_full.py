"""A disk that refuses a write stops a run with words; with room again it goes on to the same content."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.mark.parametrize("kilobytes", [1, 40, 100, 140, 190])
def test_no_file_may_grow_beyond_a_size(
    kilobytes: int,
    by_model: Path,
    served: Callable[..., Any],
    sittings: Callable[..., Any],
    openiir: Callable[..., Any],
    tmp_path: Path,
) -> None:
    settings = ["--settings", str(served()[1])]
    run = ["run", str(by_model), "--set", "config.steps=8", *settings, "--out"]
    (full,) = sittings({"argv": [*run, str(tmp_path / "full")], "file_size": 1024 * kilobytes})
    assert full["code"] == 1, full
    begun = (tmp_path / "full").exists()
    assert begun == (kilobytes > 100)
    assert ("Make space" if begun else "could not begin") in full["err"], full["err"]
    assert "Traceback" not in full["err"] and "ESCAPED" not in full["err"]
    whole = openiir(*run, tmp_path / "whole").content
    goes_on = ["resume", tmp_path / "full", *settings] if begun else [*run, tmp_path / "full"]
    resumed = openiir(*goes_on)
    assert resumed.content == whole
    assert openiir("replay", tmp_path / "full").content == whole


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 3 MB."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(place)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("this machine lets us mount no small tmpfs; the limit on file sizes stands for it")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk(
    by_model: Path,
    served: Callable[..., Any],
    openiir: Callable[..., Any],
    small_disk: Path,
    tmp_path: Path,
) -> None:
    settings = ["--settings", str(served()[1])]
    run = ["run", str(by_model), "--set", "config.steps=8", *settings, "--out"]
    whole = openiir(*run, tmp_path / "whole").content
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(2_700_000))
    full = openiir(*run, small_disk / "run")
    assert full.code == 1 and "Make space" in full.err, full
    again = openiir("resume", small_disk / "run", *settings)
    assert again.code == 1 and "Make space" in again.err, again
    ballast.unlink()
    assert openiir("resume", small_disk / "run", *settings).content == whole
