"""Systems under test as visits use them: they serve page after page, each title once."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from openiir.kit.items import Collection, Ratings
from openiir.kit.items.ratings import Floats, Ints
from openiir.kit.rankers import NONE
from openiir.plugin import Action, InputError, Lane, study_path
from openiir.scenarios.recommender.config import RecommenderSystemSpec
from openiir.scenarios.recommender.model.recommenders import recommender
from openiir.scenarios.recommender.model.recommenders.listing import list_top_items
from openiir.scenarios.recommender.model.recommenders.named import path_in_name
from openiir.scenarios.recommender.model.recommenders.recommender import Recommender
from openiir.scenarios.recommender.questions.next_page import NextPage

Bools = NDArray[np.bool_]
DECLARED = "system:"


class PageServed(Action):
    """Log entry: a declared system's page had too few usable items, or unusable ones."""

    kind: ClassVar[str] = "recommender.served"
    user: str
    page: int
    unknown: int
    repeated: int
    known: int
    """Number of items that the user has already rated."""
    missing: int


class PageFailed(Action):
    """Log entry: a declared system gave no usable reply to the request for a page."""

    kind: ClassVar[str] = "recommender.page-failed"
    system: str
    user: str
    page: int


class SystemUnderTest(Protocol):
    """Protocol of a recommender under test, as used by visits."""

    name: str

    def fit(self, train: Ratings) -> None:
        """Fit the system to ratings, also repeatedly; systems that cannot be fitted ignore this."""

    def prepare(self, users: Ints, exclude: Any, k: int) -> None:
        """Prepare lists of at most k items for these users, without those in the CSR `exclude`."""

    async def page(self, lane: Lane, user: int, page: int, n: int, shown: Sequence[int]) -> list[int] | None:
        """Return the next at most n items for a user, none of `shown`; None for an unusable reply."""


@dataclass
class FittedSystem:
    """A system under test that is a recommender fitted to ratings, without barred items."""

    name: str
    recommender: Recommender
    never: Bools
    """(items,) mask of items that are never recommended to anybody."""
    _lists: dict[int, list[int]] = field(default_factory=dict)

    def fit(self, train: Ratings) -> None:
        self.recommender.fit(train)

    def scores(self, users: Ints) -> Floats:
        return np.where(self.never, -np.inf, self.recommender.scores(users))

    def prepare(self, users: Ints, exclude: Any, k: int) -> None:
        found = list_top_items(self, users, k, exclude).items.tolist()
        self._lists = {
            user: [i for i in row if i >= 0] for user, row in zip(users.tolist(), found, strict=True)
        }

    def top_items(self, users: Ints, k: int) -> Ints:
        """List the first k prepared items of these users, (len(users), k); -1 after the last."""
        rows = [(self._lists[user] + [NONE] * k)[:k] for user in users.tolist()]
        return np.array(rows, dtype=np.int64).reshape(len(users), k)

    async def page(self, lane: Lane, user: int, page: int, n: int, shown: Sequence[int]) -> list[int]:
        seen = set(shown)
        return [item for item in self._lists[user] if item not in seen][:n]


@dataclass
class DeclaredSystem:
    """A system under test that the study declares; it is asked for each page.

    Unusable items are left out and counted in the log.
    """

    name: str
    role: str
    collection: Collection
    users: Sequence[str]
    _blocked: dict[int, set[int]] = field(default_factory=dict)

    def fit(self, train: Ratings) -> None:
        """Do nothing: a declared system learns by itself, or not at all."""

    def prepare(self, users: Ints, exclude: Any, k: int) -> None:
        self._blocked = {
            user: set(exclude.indices[exclude.indptr[user] : exclude.indptr[user + 1]].tolist())
            for user in users.tolist()
        }

    async def page(self, lane: Lane, user: int, page: int, n: int, shown: Sequence[int]) -> list[int] | None:
        ids, id_of_user = self.collection.ids, self.users[user]
        reply = await lane.ask(self.role, NextPage(id_of_user, page, n, tuple(ids[i] for i in shown)))
        if reply is None:
            lane.note(PageFailed.kind, self.role, PageFailed(system=self.name, user=id_of_user, page=page))
            return None
        found: list[int] = []
        skipped = {"unknown": 0, "repeated": 0, "known": 0}
        for id in reply.items:
            item = self.collection.index.get(id)
            if item is None:
                skipped["unknown"] += 1
            elif item in found or item in shown:
                skipped["repeated"] += 1
            elif item in self._blocked[user]:
                skipped["known"] += 1
            elif len(found) < n:
                found.append(item)
        if any(skipped.values()) or len(found) < n:
            served = PageServed(user=id_of_user, page=page, **skipped, missing=n - len(found))
            lane.note(PageServed.kind, self.role, served)
        return found


def systems_under_test(
    specs: Sequence[RecommenderSystemSpec],
    collection: Collection,
    users: Sequence[str],
    never: Bools,
    seed: int,
    folder: Path,
    where: str = "config.systems",
) -> dict[str, SystemUnderTest]:
    """Build the systems under test, without fitting them.

    Files they name lie below the study's folder or OPENIIR_DATA.
    Raises InputError that names the system which cannot be built and its key (`where`).
    """
    made: dict[str, SystemUnderTest] = {}
    for spec in specs:
        try:
            if spec.by.startswith(DECLARED):
                made[spec.name] = DeclaredSystem(spec.name, spec.by, collection, users)
            else:
                by = spec.by
                if file := path_in_name(by):
                    by = by.replace(file, str(study_path(file, folder, by.removesuffix(file))))
                own = recommender(by, spec.options, collection, seed, users)
                made[spec.name] = FittedSystem(spec.name, own, never)
        except InputError as error:
            raise InputError(f"{where} {spec.name!r}: {error}") from None
    return made


def barred_items(train: Ratings, collection: Collection, only: Sequence[str]) -> Bools:
    """Compute the mask of items that are never recommended, (items,).

    These have no training rating, or none of the genres `only`.
    Raises InputError where no item is left.
    """
    out: Bools = train.counts == 0
    if only:
        wanted = {genre.lower() for genre in only}
        genres = collection.attributes.get("genre", ((),) * len(collection))
        out = out | np.array([not wanted & {genre.lower() for genre in own} for own in genres])
    if out.all():
        raise InputError(
            f"config.page.only = {list(only)}: no rated item has one of these genres; name others"
        )
    return out
