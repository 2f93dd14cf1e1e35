"""The table `[config.data]` of a study, and loading the data set that it names."""

import os
from collections import OrderedDict
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from pydantic import Field, model_validator

from openiir.core.study_paths import study_path
from openiir.kit.items.collection import Kind
from openiir.kit.items.dataset import DataSet, with_at_least
from openiir.kit.items.enrichment import Enrichment, enrich, enrich_where_found
from openiir.kit.items.loaders.columns import RatingColumns, from_columns, from_items
from openiir.kit.items.loaders.interactions import RowRules
from openiir.kit.items.published import Published, load_published
from openiir.kit.items.table_files import digest_of
from openiir.kit.items.tastes import KnownTastes, known_tastes
from openiir.plugin import ConfigTable, InputError

SHELF = "~/.local/share/openiir/data"
"""Default folder of fetched data sets, used where OPENIIR_DATA is not set."""
_KEPT = 4
"""Number of data sets cached in memory, so that the runs of a sweep read each once."""
_loaded: OrderedDict[str, DataSet] = OrderedDict()
_make_synthetic = lru_cache(maxsize=_KEPT)(known_tastes)


class SyntheticSpec(ConfigTable):
    """Size and seed of the synthetic data set."""

    users: int = Field(300, ge=2, le=20_000)
    """Number of users with ratings."""
    items: int = Field(400, ge=20, le=20_000)
    """Number of items in the catalogue."""
    seed: int = Field(0, ge=0, lt=2**63)
    """Seed of titles, attributes and ratings, apart from the seed of the study."""


class DataSpec(ConfigTable):
    """The table `[config.data]`: a data set by name, or own files with a map of their columns."""

    name: str = Field("synthetic", pattern=r"^[a-z0-9][a-z0-9_-]{0,39}$")
    """Name of a data set in `openiir data list`, or any name for own files."""
    path: str = ""
    """Folder of a named data set's files: `$OPENIIR_DATA/...`, or relative to the study. By default the
    folder to which `openiir data fetch` downloads."""
    synthetic: SyntheticSpec | None = None
    """Size of the data set `synthetic`; None for the usual one."""
    ratings: RatingColumns | None = None
    """File of own ratings. Without it, own items are a collection without ratings."""
    items: Enrichment | None = None
    """File of own items. Without it, the items are those that were rated."""
    kind: Kind = "item"
    """Noun for own items."""
    enrichment: tuple[Enrichment, ...] | None = None
    """Files with attributes and texts of the items. By default, the known enrichment files that lie in the
    folder of a named data set."""
    minimum_ratings: int = Field(1, ge=1)
    """Smallest number of ratings a user must have to be kept."""
    rules: RowRules = RowRules()

    @model_validator(mode="after")
    def _one_of_both(self) -> "DataSpec":
        if not self.own and self.kind != "item":
            raise ValueError("kind says what own items are, so items or ratings is needed beside it")
        if self.own and self.path:
            raise ValueError(
                "path is the folder of a named data set; own files are named by ratings.file and items.file"
            )
        if self.ratings is None and self.items is not None and self.minimum_ratings > 1:
            raise ValueError(
                "minimum_ratings leaves users out, but items without ratings have none; give ratings or "
                "leave it out"
            )
        if self.name != "synthetic" and self.synthetic is not None:
            raise ValueError('synthetic is for name = "synthetic" alone')
        return self

    @property
    def own(self) -> bool:
        """Whether the table describes the user's own files instead of a registered data set."""
        return self.ratings is not None or self.items is not None


def load(spec: DataSpec, folder: Path) -> DataSet:
    """Load the data set of a study in `folder`, cached in memory by the hash of its files.

    Raises InputError, with the remedy, for files that are missing, lie outside the study's folder or
    OPENIIR_DATA, or hold what cannot be read.
    """
    if spec.name == "synthetic" and not spec.own:
        return _enrich_and_filter(spec, load_known_tastes(spec).data, folder)
    files = sorted(set(list_data_files(spec, folder)))
    key = f"{spec.model_dump_json()} {digest_of(files)} {files}"
    if key not in _loaded:
        _loaded[key] = _enrich_and_filter(spec, _read(spec, folder), folder)
        while len(_loaded) > _KEPT:
            _loaded.popitem(last=False)
    _loaded.move_to_end(key)
    return _loaded[key]


def load_known_tastes(spec: DataSpec) -> KnownTastes:
    """Generate the synthetic data set of a study together with the true tastes of its users."""
    sizes = spec.synthetic or SyntheticSpec()
    return _make_synthetic(sizes.users, sizes.items, sizes.seed)


def data_set_folder() -> Path:
    """Return the folder in which data sets are stored: OPENIIR_DATA, or else `SHELF`."""
    return Path(os.environ.get("OPENIIR_DATA") or SHELF).expanduser()


def _find_published(spec: DataSpec, folder: Path) -> tuple[Published, Path]:
    """Look up a named data set and the folder of its files.

    Raises InputError where a file is missing.
    """
    one = load_published(spec.name)
    place = study_path(spec.path, folder, "config.data.path") if spec.path else data_set_folder() / one.folder
    if missing := one.missing(place):
        get = f"`openiir data fetch {one.name}` gets it" if one.downloads else f"{one.by_hand} ({one.home})"
        raise InputError(
            f"{place} has no {missing[0]}, which {one.name} needs; {get}, or name its folder by path"
        )
    return one, place


def list_data_files(spec: DataSpec, folder: Path) -> Iterator[Path]:
    """List all files from which a data set is read."""
    if not spec.own:
        one, place = _find_published(spec, folder)
        yield from (place / name for name in one.files)
        if spec.enrichment is None:
            yield from (place / ready.file for ready in one.ready if (place / ready.file).is_file())
    for key in ("ratings", "items"):
        if own := getattr(spec, key):
            yield study_path(own.file, folder, f"config.data.{key}.file")
    for own in spec.enrichment or ():
        yield study_path(own.file, folder, "config.data.enrichment.file")


def _read(spec: DataSpec, folder: Path) -> DataSet:
    if not spec.own:
        one, place = _find_published(spec, folder)
        data = one.read(place, spec.rules)
        return enrich_where_found(data, one.ready, place) if spec.enrichment is None else data
    items_file = study_path(spec.items.file, folder, "config.data.items.file") if spec.items else None
    if spec.ratings is None:
        assert spec.items is not None and items_file is not None
        return from_items(spec.name, spec.kind, spec.items, items_file)
    ratings_file = study_path(spec.ratings.file, folder, "config.data.ratings.file")
    return from_columns(spec.name, spec.kind, spec.ratings, ratings_file, spec.items, items_file, spec.rules)


def _enrich_and_filter(spec: DataSpec, data: DataSet, folder: Path) -> DataSet:
    for own in spec.enrichment or ():
        data = enrich(data, own, study_path(own.file, folder, "config.data.enrichment.file"))
    return with_at_least(data, spec.minimum_ratings)
