"""Outcomes of result pages for searchers, providers and the platform; none of them is a sum of others."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from openiir.kit.arrays import Bools, Floats, Ints
from openiir.kit.measures import compatibility, discounts, gini, hill_number
from openiir.kit.statistics import Equivalence, tost
from openiir.kit.text_tables import read_definitions

Outcome = Literal["utility", "harm", "harm_shown", "help_harm", "gini", "hhi", "coverage", "cost", "moved"]
MARGINS: dict[Outcome, float] = {
    "utility": 0.02,
    "harm": 0.02,
    "harm_shown": 0.02,
    "help_harm": 0.02,
    "gini": 0.05,
    "hhi": 0.02,
    "coverage": 0.05,
    "cost": 0.02,
    "moved": 0.1,
}
"""All outcomes, with the difference from which on each matters, unless a study says otherwise."""


DEFINITIONS = read_definitions("""
utility | utility | mean grade of what searchers used, the best being 1; 0 for nothing and for what does harm
harm | harm done | share of searchers who used a harmful document
harm_shown | harm shown | share of the attention to pages that harmful documents got
help_harm | help less harm | compatibility of pages with helpful works less that with harmful ones
gini | provider Gini | inequality of attention among providers; 0 where all get the same
hhi | provider HHI | sum of the squared shares of attention of providers; 1 where one gets all
coverage | coverage | share of the works of which a version was shown
cost | relevance given up | share of the ranker's own discounted relevance that the policy gives up
moved | places moved | share of places that hold another document than without the policy
first_* | first {} | first round in which pages differ: those of both worlds (divergence), or those under the
    policy in its own world and in the free one (feedback)
""")
TABLES = ("needs", "providers", "works", "judged", "margins", "pages")
"""Tables of the log that hold all that outcomes are computed from."""
PARTS = ("total", "direct", "feedback")
"""Parts of a difference between the worlds: all of it, what the policy does to the free world as it stands,
and what comes on top since the regulated world has responded."""


@dataclass(frozen=True, eq=False)
class PageOutcomes:
    """What three arms showed (free, regulated, direct), and what came of it.

    From `document` on, all are (rounds, arms, needs, places).
    """

    rounds: Ints
    grades: Floats
    """(needs, works) judgements, below 0 harmful."""
    provider: Ints
    """(works,) number of the provider."""
    providers: int
    margins: Mapping[str, float]
    """Smallest difference that matters, by outcome."""
    document: NDArray[np.object_]
    """Name of the document."""
    work: Ints
    used: Ints
    """Number of searchers who used the result."""
    searchers: Ints
    """Number of searchers with the need, the same at all places."""
    relevance: Floats
    plain: Floats
    moved: Bools

    @classmethod
    def of_tables(cls, tables: Mapping[str, Mapping[str, NDArray[Any]]]) -> "PageOutcomes":
        """Build it from the columns of TABLES, whose rows are in the order in which a round is logged."""
        rows, judged, margins = (tables[name] for name in ("pages", "judged", "margins"))
        provider, places = tables["works"]["provider"], int(rows["place"].max())
        grades = np.zeros((len(tables["needs"]["id"]), len(provider)))
        grades[judged["need"], judged["work"]] = judged["grade"]
        names = ("document", "work", "used", "searchers", "relevance", "plain", "moved")
        return cls(
            np.unique(rows["step"]),
            grades,
            provider,
            len(tables["providers"]["name"]),
            dict(zip(margins["outcome"].tolist(), margins["margin"].tolist(), strict=True)),
            *(rows[name].reshape(-1, 3, len(grades), places) for name in names),
        )

    @cached_property
    def shares(self) -> dict[str, tuple[Floats, Floats]]:
        """Numerator and denominator, (rounds, arms, needs), of each outcome that is a share."""
        grade = self.grades[np.arange(len(self.grades))[:, None], self.work]
        harmful = np.where((self.grades < 0).any(), grade < 0, np.nan)  # unknown where nothing is judged so
        discount = discounts(self.work.shape[-1])
        attention = self.searchers * discount
        searchers = self.searchers[..., 0].astype(np.float64)
        shown = self.searchers.sum(axis=-1, dtype=np.float64)
        return {
            "utility": ((self.used * np.maximum(grade, 0)).sum(axis=-1), searchers),
            "harm": ((self.used * harmful).sum(axis=-1), searchers),
            "harm_shown": ((attention * harmful).sum(axis=-1), attention.sum(axis=-1)),
            "cost": (
                (attention * (self.plain - self.relevance)).sum(axis=-1),
                (attention * self.plain).sum(axis=-1),
            ),
            "moved": ((self.searchers * self.moved).sum(axis=-1, dtype=np.float64), shown),
        }

    @cached_property
    def exposure(self) -> Floats:
        """(rounds, arms, providers) attention of searchers that each provider's documents got."""
        found = np.zeros((*self.work.shape[:2], self.providers))
        rounds, arms = np.ogrid[: self.work.shape[0], : self.work.shape[1]]
        attention = self.searchers * discounts(self.work.shape[-1])
        np.add.at(
            found, (rounds[..., None, None], arms[..., None, None], self.provider[self.work]), attention
        )
        return found

    @cached_property
    def by_round(self) -> dict[str, Floats]:
        """(rounds, arms) of each outcome; NaN where it is undefined."""
        shape = self.work.shape[:2]
        rows, works = self.exposure.reshape(-1, self.providers), self.work.reshape(shape[0] * shape[1], -1)
        found: dict[str, Floats] = {
            name: _divide(part.sum(axis=-1), whole.sum(axis=-1))
            for name, (part, whole) in self.shares.items()
        }
        found["gini"] = np.array([gini(row) for row in rows]).reshape(shape)
        found["hhi"] = np.array([1 / hill_number(row, 2.0) for row in rows]).reshape(shape)
        shown = np.array([len(np.unique(page)) for page in works]).reshape(shape)
        found["coverage"] = shown / len(self.provider)
        found["help_harm"] = self._compatibility(1) - self._compatibility(-1)
        return {name: found[name] for name in MARGINS}

    def differences(self, name: str) -> dict[str, Floats]:
        """Divide an outcome's difference between the worlds, (rounds,), into its PARTS."""
        free, regulated, direct = self.by_round[name].T
        return dict(zip(PARTS, (regulated - free, direct - free, regulated - direct), strict=True))

    @cached_property
    def first_rounds(self) -> dict[str, int | None]:
        """First round in which documents differ, by the part of the difference; None where none does."""
        free, regulated, direct = np.moveaxis(self.document, 1, 0)
        pairs = zip(PARTS, ((regulated, free), (direct, free), (regulated, direct)), strict=True)
        return {part: self.first_round((one != other).any(axis=(1, 2))) for part, (one, other) in pairs}

    def first_round(self, apart: Bools) -> int | None:
        """Return the first round of a mask, (rounds,); None where it is empty."""
        return int(self.rounds[apart][0]) if apart.any() else None

    def compare_needs(self, name: str) -> Equivalence | None:
        """Test the two worlds for equivalence, paired over needs; None for an outcome that is no share."""
        if name not in self.shares:
            return None
        part, whole = (side.sum(axis=0) for side in self.shares[name])
        free, regulated, _ = _divide(part, whole)
        return tost(regulated - free, self.margins[name])

    def _compatibility(self, sign: int) -> Floats:
        """Mean compatibility of pages with helpful works (1) or harmful ones (-1), (rounds, arms).

        Over the needs that have such works; versions of a work after its first on a page count for nothing.
        """
        found = []
        for need, row in enumerate(sign * self.grades):
            ideal = {str(work): float(grade) for work, grade in enumerate(row) if grade > 0}
            pages = self.work[:, :, need].reshape(-1, self.work.shape[-1]).tolist() if ideal else []
            values = [compatibility(tuple(dict.fromkeys(map(str, page))), ideal).value for page in pages]
            found += [values] if ideal else []
        mean = np.mean(found, axis=0) if found else np.full(self.work[:, :, 0, 0].size, np.nan)
        return np.asarray(mean).reshape(self.work.shape[:2])


def _divide(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.full(np.shape(part), np.nan), where=whole > 0)
