"""Registry of published data sets: description, licence, source and loader of each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from openiir.kit.items.dataset import DataSet
from openiir.kit.items.enrichment import Enrichment
from openiir.kit.items.loaders import amazonbook, movielens, steam
from openiir.kit.items.loaders.interactions import RowRules
from openiir.kit.items.tastes import known_tastes
from openiir.plugin import InputError

GROUP = "openiir.datasets"
"""Name of the entry points under which data sets are registered, each a `Published`."""


@dataclass(frozen=True)
class Download:
    """A file to download from its publisher, with its size and hash."""

    url: str
    size: int
    """Size in bytes."""
    sha256: str
    unpack: bool = False
    """Whether the file is a ZIP archive to unpack, without its top folder."""


@dataclass(frozen=True)
class Published:
    """A registered data set that studies can name: its files, licence and loader.

    `files` are those it is read from, in a folder called `folder`; none where it is made by code. Where no
    address with a hash is known, `downloads` is empty and `by_hand` says where to get it.
    """

    name: str
    title: str
    counts: str
    """Numbers of users, items and ratings, as published."""
    licence: str
    citation: str
    home: str
    """URL of the publisher's page."""
    folder: str
    files: tuple[str, ...]
    read: Callable[[Path, RowRules], DataSet]
    ready: tuple[Enrichment, ...] = ()
    """Enrichment files by others, joined where they lie in the folder."""
    downloads: tuple[Download, ...] = ()
    by_hand: str = ""

    def missing(self, folder: Path) -> list[str]:
        """List the data set's files that are missing in a folder."""
        return [name for name in self.files if not (folder / name).is_file()]


@dataclass(frozen=True)
class ListedDataSet:
    """A registered data set, or the reason why its plug-in cannot be loaded."""

    name: str
    published: Published | None
    broken: str = ""


def list_published() -> list[ListedDataSet]:
    """List all data sets that studies can name, built in and plugged in, in order of name."""
    return [_load(entry) for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name)]


def load_published(name: str) -> Published:
    """Find the data set of this name. Raises InputError for an unknown name or a broken plug-in."""
    found = {entry.name: entry for entry in entry_points(group=GROUP)}
    if name not in found:
        raise InputError(
            f"no data set is called {name!r}; known are {', '.join(sorted(found))} (`openiir data list`), "
            "or describe your own files by config.data.ratings"
        )
    listed = _load(found[name])
    if listed.published is None:
        raise InputError(f"the data set {name!r} cannot be loaded: {listed.broken}")
    return listed.published


def _load(entry: EntryPoint) -> ListedDataSet:
    try:
        found = entry.load()
    except Exception as error:  # a plug-in may fail in any way; the others must stay usable
        return ListedDataSet(entry.name, None, f"{type(error).__name__}: {error}")
    if not isinstance(found, Published):
        return ListedDataSet(entry.name, None, f"{entry.value} is no openiir.kit.items.Published")
    return ListedDataSet(entry.name, found)


_GROUPLENS = "https://files.grouplens.org/datasets/movielens/"
_HARPER = "Harper & Konstan: The MovieLens Datasets: History and Context. ACM TiiS 5(4), 2015"


def _movielens(
    size: str,
    counts: str,
    files: tuple[str, ...],
    read: Callable[[Path, RowRules], DataSet],
    archive: tuple[int, str],
    ready: Sequence[Enrichment] = (),
    licence: str = movielens.LICENCE,
) -> Published:
    return Published(
        name=f"movielens-{size}",
        title=f"MovieLens {size if '-' in size else size.upper()}",
        counts=counts,
        licence=licence,
        citation=_HARPER,
        home="https://grouplens.org/datasets/movielens/",
        folder=f"ml-{size}",
        files=files,
        read=read,
        ready=tuple(ready),
        downloads=(Download(f"{_GROUPLENS}ml-{size}.zip", *archive, unpack=True),),
    )


# Sizes and hashes of the archives are those of TensorFlow Datasets; GroupLens' MD5 sums agree with them.
MOVIELENS_100K = _movielens(
    "100k",
    "943 users, 1,682 films, 100,000 ratings",
    movielens.FILES_100K,
    movielens.movielens_100k,
    (4_924_029, "50d2a982c66986937beb9ffb3aa76efe955bf3d5c6b761f4e3a7cd717c6a3229"),
)
MOVIELENS_1M = _movielens(
    "1m",
    "6,040 users, 3,883 films, 1,000,209 ratings",
    movielens.FILES_1M,
    partial(movielens.movielens_1m, ready=()),
    (5_917_549, "a6898adb50b9ca05aa231689da44c217cb524e7ebd39d264c56e2832f2c54e20"),
    movielens.READY,
)
MOVIELENS_LATEST_SMALL = _movielens(
    "latest-small",
    "610 users, 9,742 films, 100,836 ratings",
    movielens.FILES_CSV,
    movielens.movielens_csv,
    (978_202, "696d65a3dfceac7c45750ad32df2c259311949efec81f0f144fdfb91ebc9e436"),
    licence=movielens.LICENCE_CSV,
)
STEAM = Published(
    name="steam",
    title="Steam: hours of play as ratings",
    counts="11,350 users who played, 5,155 games, 70,477 ratings",
    licence=steam.LICENCE,
    citation="Tamber: Steam Video Games (Kaggle, 2017), in the files of Case Recommender (da Costa et al., "
    "RecSys 2018)",
    home="https://github.com/caserec/Datasets-for-Recommender-Systems",
    folder="steam",
    files=steam.FILES,
    read=steam.steam,
    by_hand="take steam.zip of `Processed Datasets/Steam` in that repository and unpack it",
)
_KGAT = (
    "https://raw.githubusercontent.com/xiangwang1223/knowledge_graph_attention_network/"
    "7bbdb5d080093e9680c97eff76b78278a8500034/Data/amazon-book/"
)
AMAZON_BOOK = Published(
    name="amazon-book",
    title="Amazon-Book as prepared for KGAT: who bought what",
    counts="70,679 users, 24,915 books, 846,434 interactions without ratings",
    licence=amazonbook.LICENCE,
    citation="Wang, He, Cao, Liu & Chua: KGAT. KDD 2019",
    home="https://github.com/xiangwang1223/knowledge_graph_attention_network",
    folder="amazon-book",
    files=amazonbook.FILES,
    read=amazonbook.amazon_book,
    downloads=(
        Download(
            f"{_KGAT}item_list.txt",
            658_401,
            "efea8518cd68e515584fdfbfca95f318b25ef551c64498c5935897c2b02e436f",
        ),
        Download(
            f"{_KGAT}test.txt", 1_478_039, "f47eff9d35fb95c07d74251a991478a84095ce6c5969b0dafcb4afe99fc716ec"
        ),
        Download(
            f"{_KGAT}train.txt", 3_897_477, "4d10106bb06a77e11df660429903c0067aeb85b86431807836b0d8b7edc30c38"
        ),
    ),
)
SYNTHETIC = Published(
    name="synthetic",
    title="Invented films and users of known tastes",
    counts="300 users, 400 films, some 15,000 ratings; other sizes by config.data.synthetic",
    licence="made by openiir's own code",
    citation="openiir's reference page on data",
    home="",
    folder="",
    files=(),
    read=lambda folder, rules: known_tastes().data,
)
