"""Exports of golden runs, each made once."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from openiir.server.export.left_out import Part
from openiir.server.export.write import write_export

GOLDEN = Path(__file__).parents[2] / "golden"
Export = Callable[..., Path]


@pytest.fixture(scope="session")
def golden(tmp_path_factory):
    """Copies a golden run, once; the copy is for reading."""
    folders: dict[str, Path] = {}

    def copy(name):
        if name not in folders:
            folders[name] = shutil.copytree(GOLDEN / name, tmp_path_factory.mktemp("golden") / name)
        return folders[name]

    return copy


@pytest.fixture(scope="session")
def exported(golden, tmp_path_factory):
    """Exports a golden run as FORM without some parts, once; the export is for reading."""
    made: dict[tuple[str, str, tuple[Part, ...]], Path] = {}

    def export(name, form="run.html", *without):
        key = name, form, without
        if key not in made:
            made[key] = tmp_path_factory.mktemp("exported") / form
            write_export(golden(name), made[key], without)
        return made[key]

    return export


@pytest.fixture
def own_export(exported, tmp_path):
    """As `exported`, with a copy that a test may change."""

    def export(name, form="run.html", *without):
        place = exported(name, form, *without)
        return Path((shutil.copytree if place.is_dir() else shutil.copy)(place, tmp_path / form))

    return export
