"""Files that a sweep's cells read on other machines: stored in the sweep's folder by content hash.

They are those of the study's folder, and of `$OPENIIR_DATA` those that the study names. All else that a cell
needs is in the plan.
"""

import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from openiir.core.errors import InputError
from openiir.core.files import read_json
from openiir.core.records import Record
from openiir.core.storage.receipts import study_folder_of
from openiir.core.study_paths import DATA, stays_in
from openiir.core.toml import validate_record
from openiir.kit.items import DataSpec
from openiir.kit.items.dataspec import data_set_folder, list_data_files
from openiir.runs.build import document_permissions
from openiir.runs.study_files import hash_file, list_files
from openiir.runs.sweep_record import INPUTS, STORE, SweepPlan, write_json
from openiir.runs.types import find_type

_DATA_PATH = re.compile(rf"\${DATA}/(.*)", re.DOTALL)


class SweepInputs(Record):
    """Files by the path that cells read them at, with the hash of their content, as in `inputs.json`."""

    format: int = 1
    study: dict[str, str] | None
    """Files of the study's folder; None for a type's reference study, which every machine has."""
    links: dict[str, str] = {}
    """Symbolic links within the study's folder, with their targets."""
    data: dict[str, str] = {}
    """Files below `$OPENIIR_DATA`."""


def store_inputs(folder: Path, plan: SweepPlan) -> SweepInputs:
    """Store the files that a sweep's cells read, by hard link where that is possible, else by copy.

    A sweep that is resumed keeps the files that it began with, whatever has become of the study.
    Raises InputError for a study's folder of too many files, or with links that lead out of it.
    """
    file = folder / INPUTS
    if file.is_file():
        kept = validate_record(SweepInputs, read_json(file), str(file))
    else:
        kept = _store_study(folder, plan)
    root = data_set_folder()
    places = {str(path.relative_to(root)): path for path in _data_files(folder, plan, kept)}
    data = {name: _store(path, folder) for name, path in sorted(places.items()) if name not in kept.data}
    if data or not file.is_file():
        kept = kept.model_copy(update={"data": kept.data | data})
        write_json(file, kept)
    return kept


def lay_out_inputs(folder: Path, inputs: SweepInputs, target: Path, blobs: Path) -> tuple[Path | None, Path]:
    """Lay a sweep's stored files out below `target`; returns the study's folder and that of data sets.

    Files come from the sweep's folder by hard link, or by way of `blobs`, to which a machine copies each
    once. Raises InputError for a file whose content is not what the sweep began with.
    """
    for part, files in (("study", inputs.study or {}), ("data", inputs.data)):
        (target / part).mkdir(parents=True)
        for name, digest in files.items():
            _fetch(folder / STORE / digest, target / part / name, blobs)
    for name, leads_to in inputs.links.items():
        (target / "study" / name).parent.mkdir(parents=True, exist_ok=True)
        (target / "study" / name).symlink_to(leads_to)
    return None if inputs.study is None else target / "study", target / "data"


def _store_study(folder: Path, plan: SweepPlan) -> SweepInputs:
    place = study_folder_of(folder)
    own = find_type(plan.arms[0].document["type"]).reference
    if own and own.resolve() == place.resolve():
        return SweepInputs(study=None)
    if not place.is_dir():
        return SweepInputs(study={})
    files: dict[str, str] = {}
    links: dict[str, str] = {}
    documents = [arm.document for arm in plan.arms]
    # A permission covers every file, so that the copy needs every one; else a .venv can stay where it is.
    covered = any(not p.packaged for one in documents for p in document_permissions(one, place))
    try:
        for path in list_files(place, hidden=covered):
            name = str(path.relative_to(place))
            if path.is_symlink():
                links[name] = _target_of(path, place)
            elif path.is_file():
                files[name] = ""
    except InputError:
        if covered or _names_files(documents, place):
            raise
        return SweepInputs(study={})
    return SweepInputs(study={name: _store(place / name, folder) for name in sorted(files)}, links=links)


def _target_of(link: Path, place: Path) -> str:
    target = link.readlink()
    if target.is_absolute() or not stays_in(link, place):
        raise InputError(
            f"{link} is a link out of the study's folder, which other machines do not have; copy "
            "what it leads to in its place"
        )
    return str(target)


def _names_files(documents: Sequence[Mapping[str, Any]], place: Path) -> bool:
    """Whether studies name anything in their folder, by itself or after a prefix such as `file:`."""
    words = {part for one in documents for text in _texts(one) for part in (text, text.partition(":")[2])}
    return any(word and os.path.lexists(place / word) for word in words)


def _data_files(folder: Path, plan: SweepPlan, kept: SweepInputs) -> Iterator[Path]:
    """Yield the files below `$OPENIIR_DATA` that a plan's studies name, by path or as a known data set."""
    root, study = data_set_folder(), study_folder_of(folder)
    seen: set[str] = set()
    for arm in plan.arms:
        for text in _texts(arm.document):
            found = _DATA_PATH.search(text)
            if found and found[1] not in seen:
                seen.add(found[1])
                place = root / found[1]
                yield from (
                    p for p in ([place] if place.is_file() else sorted(place.rglob("*"))) if p.is_file()
                )
        config = find_type(arm.document["type"]).Config.model_validate(arm.document["config"])
        for spec in _data_specs(config):
            if spec.own or spec.name == "synthetic" or spec.path or spec.name in seen:
                continue
            seen.add(spec.name)
            yield from (path for path in list_data_files(spec, study) if path.is_relative_to(root))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _texts(one)


def _data_specs(value: Any) -> Iterator[DataSpec]:
    if isinstance(value, DataSpec):
        yield value
    elif isinstance(value, (Record, dict, tuple)):
        for one in dict(value).values() if not isinstance(value, tuple) else value:
            yield from _data_specs(one)


def _store(path: Path, folder: Path) -> str:
    """Put a file into a sweep's store and return its hash."""
    digest, source = hash_file(path), path.resolve()
    stored = folder / STORE / digest
    if not stored.exists():
        stored.parent.mkdir(exist_ok=True)
        _link_or_copy(source, stored)
    return digest


def _fetch(stored: Path, target: Path, blobs: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(stored, target)
    except OSError:
        blob = blobs / stored.name
        if not blob.is_file():
            blobs.mkdir(exist_ok=True)
            _link_or_copy(stored, blob)
        _link_or_copy(blob, target)
    if hash_file(target) != stored.name:
        (blobs / stored.name).unlink(missing_ok=True)
        raise InputError(
            f"{target.name} is not the file that the sweep began with: {stored} was changed; begin "
            "another sweep"
        )


def _link_or_copy(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except FileExistsError:
        return
    except OSError:
        partial = target.with_name(f".{target.name}.{os.getpid()}")
        shutil.copy(source, partial)
        partial.replace(target)
