"""Loaders of MovieLens in three formats: 1M (`.dat`), 100K (`u.*`) and CSV (latest-small, 20M, 25M).

Harper & Konstan, TiiS 2015.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from openiir.kit.items.collection import Collection
from openiir.kit.items.dataset import DataSet
from openiir.kit.items.enrichment import Enrichment, enrich_where_found
from openiir.kit.items.loaders.interactions import USUAL, Interactions, RowRules, index_ratings
from openiir.kit.items.ratings import Scale
from openiir.kit.items.table_files import FileTable, digest_of, read_separated

LICENCE = (
    "GroupLens: research use with acknowledgement; no redistribution without permission; no commercial use "
    "without permission"
)
LICENCE_CSV = (
    "GroupLens: research use with acknowledgement; redistribution only under the same conditions; no "
    "commercial use without permission"
)
FILES_1M = ("movies.dat", "ratings.dat", "users.dat")
FILES_100K = ("u.data", "u.genre", "u.item", "u.user")
FILES_CSV = ("movies.csv", "ratings.csv")
HALF_STARS = Scale(0.5, 5.0, 0.5)
NO_GENRE = ("unknown", "(no genres listed)")
"""Genre names that stand for an unknown genre."""
READY = (
    Enrichment(
        file="movies_extrainfos.dat",
        separator="::",
        names=tuple("id title year rated released genres directors writers actors plot poster".split()),
        key="id",
        attributes={"director": "directors", "actor": "actors"},
        lists={"director": ", ", "actor": ", "},
        description="plot",
        image="poster",
    ),
    Enrichment(file="agent4rec/movies_augmentation.csv", key="movie_id", summary="summary"),
)
"""Known enrichment files for MovieLens 1M: MeLU's (director, first actors, plot, poster) and Agent4Rec's (a
sentence on each film)."""

_YEAR = re.compile(r"\((\d{4})\)\s*$")


def movielens_1m(folder: Path, rules: RowRules = USUAL, ready: Sequence[Enrichment] = READY) -> DataSet:
    """Load MovieLens 1M from movies.dat, ratings.dat and users.dat; all 3,883 films, rated or not.

    Joins those of `ready` whose file lies in the folder. Raises InputError for files that are not as
    published.
    """
    movies = read_separated(folder / "movies.dat", "::", ("id", "title", "genres"), "latin-1")
    people = read_separated(
        folder / "users.dat", "::", ("id", "gender", "age", "occupation", "zip"), "latin-1"
    )
    ratings = read_separated(folder / "ratings.dat", "::", ("user", "item", "rating", "time"))
    collection = _films(movies, movies.lists("genres", "|"))
    data = _data_set("movielens-1m", folder, FILES_1M, collection, ratings, people, Scale(), rules)
    return enrich_where_found(data, ready, folder)


def movielens_100k(folder: Path, rules: RowRules = USUAL) -> DataSet:
    """Load MovieLens 100K from u.data, u.genre, u.item and u.user; all 1,682 films."""
    genres = read_separated(folder / "u.genre", "|", ("name", "number"), "latin-1").texts("name").to_pylist()
    marks = tuple(f"genre {genre}" for genre in genres)
    movies = read_separated(
        folder / "u.item", "|", ("id", "title", "released", "video", "url", *marks), "latin-1"
    )
    flags = zip(*(movies.texts(mark).to_pylist() for mark in marks), strict=True)
    of_film = [tuple(genre for genre, flag in zip(genres, row, strict=True) if flag == "1") for row in flags]
    people = read_separated(folder / "u.user", "|", ("id", "age", "gender", "occupation", "zip"), "latin-1")
    ratings = read_separated(folder / "u.data", "\t", ("user", "item", "rating", "time"))
    collection = _films(movies, of_film)
    return _data_set("movielens-100k", folder, FILES_100K, collection, ratings, people, Scale(), rules)


def movielens_csv(folder: Path, rules: RowRules = USUAL) -> DataSet:
    """Load MovieLens from movies.csv and ratings.csv, in half stars; the folder names the data set."""
    movies = read_separated(folder / "movies.csv", ",", wanted=("movieId", "title", "genres"))
    ratings = read_separated(folder / "ratings.csv", ",", wanted=("userId", "movieId", "rating", "timestamp"))
    movies, ratings = (
        FileTable(t.file, dict(zip(names, t.columns.values(), strict=True)), t.lines)
        for t, names in ((movies, ("id", "title", "genres")), (ratings, ("user", "item", "rating", "time")))
    )
    collection = _films(movies, movies.lists("genres", "|"))
    name = f"movielens-{folder.resolve().name.removeprefix('ml-')}"
    return _data_set(name, folder, FILES_CSV, collection, ratings, None, HALF_STARS, rules, LICENCE_CSV)


def _films(movies: FileTable, genres: Sequence[tuple[str, ...]]) -> Collection:
    titles = tuple(movies.texts("title").to_pylist())
    years = (_YEAR.search(title) for title in titles)
    return Collection(
        kind="movie",
        ids=tuple(movies.ids("id").to_pylist()),
        titles=titles,
        attributes={
            "genre": tuple(tuple(g for g in found if g not in NO_GENRE) for found in genres),
            "year": tuple((year[1],) if year else () for year in years),
        },
    )


def _data_set(
    name: str,
    folder: Path,
    files: Sequence[str],
    collection: Collection,
    ratings: FileTable,
    people: FileTable | None,
    scale: Scale,
    rules: RowRules,
    licence: str = LICENCE,
) -> DataSet:
    user, item = ratings.ids("user"), ratings.ids("item")
    rows = Interactions(user, item, ratings.numbers("rating"), ratings.where, ratings.numbers("time"))
    users, known = None, dict[str, tuple[str, ...]]()
    if people is not None:
        users = people.ids("id").to_pylist()
        known = {name: tuple(people.texts(name).to_pylist()) for name in ("age", "occupation")}
    found = index_ratings(rows, users, collection.ids, scale, rules)
    return DataSet(
        name=name,
        collection=collection,
        ratings=found.ratings,
        users=found.users,
        demographics=known,
        skipped=found.skipped,
        digest=digest_of([folder / file for file in files]),
        licence=licence,
    )
