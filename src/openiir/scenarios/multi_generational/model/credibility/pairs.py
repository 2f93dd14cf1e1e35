"""Pairs of a true and a false version: sources, matching by plausibility, topic splits, rotation."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from openiir.kit.items.table_files import FileTable, TableFile, read_table
from openiir.plugin import ConfigTable, Draw, InputError

DISTANCE = 1.0
"""Default largest difference in mean plausibility between the versions of a pair, on a scale from 1 to 7."""
LONGEST = 500
"""Characters of a version at most."""


@dataclass(frozen=True)
class ClaimPair:
    """A plausible true and a plausible false version of the same claim.

    Raises InputError if a version is missing or longer than LONGEST, if the versions differ at most in case
    and white space, and for an evidence strength outside 0 to 1.
    """

    id: str
    topic: str
    true: str
    false: str
    evidence: float | None = None
    """Evidence strength, 0 to 1: how directly passages settle the pair; 1 if a sentence states the answer."""
    true_ratings: tuple[float, ...] = ()
    """Plausibility ratings of the true version, one a rater."""
    false_ratings: tuple[float, ...] = ()
    passages: tuple[str, ...] = ()
    """Evidence passages of this pair alone, for sets without a world of their own."""

    def __post_init__(self) -> None:
        if missing := [name for name in ("id", "topic", "true", "false") if not getattr(self, name).strip()]:
            raise InputError(f"pair {self.id!r} has no {missing[0]}; fill it in, or take the pair out")
        if (longest := max(len(self.true), len(self.false))) > LONGEST:
            raise InputError(
                f"pair {self.id!r} has a version of {longest} characters, too long for a short post; "
                f"shorten it to {LONGEST}"
            )
        if self.true.casefold().split() == self.false.casefold().split():
            raise InputError(f"pair {self.id!r}: its true and false version are identical; change one")
        if self.evidence is not None and not 0 <= self.evidence <= 1:
            raise InputError(f"pair {self.id!r}: evidence strength {self.evidence:g} is outside 0 to 1")
        if not all(map(math.isfinite, self.true_ratings + self.false_ratings)):
            raise InputError(f"pair {self.id!r}: a plausibility rating is no number; correct it")

    @property
    def plausibility_lead(self) -> float:
        """Mean rated plausibility of the true version minus that of the false one.

        Raises InputError for a pair without ratings of both.
        """
        if not (self.true_ratings and self.false_ratings):
            raise InputError(
                f"pair {self.id!r} has no plausibility rating for both versions, so it cannot be matched; "
                "name the columns with the ratings, or use the set unmatched and say so"
            )
        return fmean(self.true_ratings) - fmean(self.false_ratings)


@dataclass(frozen=True)
class MatchedPairs:
    """Claim pairs whose versions are about equally plausible, and those dropped because they are not."""

    pairs: tuple[ClaimPair, ...]
    dropped: tuple[ClaimPair, ...]


def match_pairs(pairs: Sequence[ClaimPair], distance: float = DISTANCE) -> MatchedPairs:
    """Keep the pairs whose versions differ by at most `distance` in mean plausibility.

    Raises InputError for pairs without ratings.
    """
    near, far = (
        tuple(pair for pair in pairs if (abs(pair.plausibility_lead) <= distance) == kept)
        for kept in (True, False)
    )
    return MatchedPairs(near, far)


@dataclass(frozen=True)
class TopicSplit:
    """Claim pairs split by topic into training and held-out ones."""

    train: tuple[ClaimPair, ...]
    held_out: tuple[ClaimPair, ...]


def split_topics(pairs: Sequence[ClaimPair], held_out: Sequence[str]) -> TopicSplit:
    """Split pairs into those of the held-out topics, by name, and all others to train on.

    Raises InputError for a topic without pairs, and where no topic is held out or none is left.
    """
    known = {pair.topic for pair in pairs}
    if unknown := sorted(set(held_out) - known):
        raise InputError(
            f"no pair has the topics {', '.join(unknown)}; the topics are {', '.join(sorted(known))}"
        )
    if not 0 < len(set(held_out)) < len(known):
        raise InputError(
            "held_out leaves a split without a topic; hold one out at least, and leave one to train on"
        )
    return TopicSplit(
        tuple(pair for pair in pairs if pair.topic not in held_out),
        tuple(pair for pair in pairs if pair.topic in held_out),
    )


def draw_split(pairs: Sequence[ClaimPair], held_out: int, draw: Draw) -> TopicSplit:
    """Split pairs by topic, with `held_out` topics drawn at random.

    Each topic's place depends on its own name, so a further topic leaves the order of the others as it was.
    Raises InputError unless at least one topic is left for each split.
    """
    topics = draw.order(sorted({pair.topic for pair in pairs}))
    if not 0 < held_out < len(topics):
        raise InputError(f"{held_out} of {len(topics)} topics held out; hold out 1 to {len(topics) - 1}")
    return split_topics(pairs, topics[:held_out])


def rotate_items(pairs: Sequence[ClaimPair], size: int, generation: int, draw: Draw) -> tuple[ClaimPair, ...]:
    """Choose the `size` claim pairs that a generation plays.

    Pairs are shuffled once for every n // size generations, which share none of them; the n % size pairs at
    the end of that order rest until the next shuffle. Raises InputError for a size that is not 1 to n.
    """
    if not 0 < size <= len(pairs):
        raise InputError(
            f"{size} pairs a generation, but the split holds {len(pairs)}; ask for 1 to that many"
        )
    cycle, place = divmod(generation, len(pairs) // size)
    by_id = {pair.id: pair for pair in pairs}
    order = draw.order(sorted(by_id), step=cycle)
    return tuple(by_id[id] for id in order[place * size : (place + 1) * size])


def refuse_same_ids(pairs: Sequence[ClaimPair], where: object) -> tuple[ClaimPair, ...]:
    """Return the pairs; raises InputError if two have one id, or if there are none."""
    if not pairs:
        raise InputError(f"{where} holds no pair; it needs rows with a true and a false version")
    if twice := [id for id, number in Counter(pair.id for pair in pairs).items() if number > 1]:
        raise InputError(f"{where} holds two pairs with the id {twice[0]!r}; rename one")
    return tuple(pairs)


def name_versions(pair: ClaimPair) -> tuple[str, str]:
    """Return neutral names of the true and the false version, for random draws and the ledger of calls."""
    first = int(pair.true > pair.false)
    return f"{pair.id}/{first}", f"{pair.id}/{1 - first}"


def pair_of_version(version: str) -> str:
    """Return the id of a version's pair, from the version's name."""
    return version.rpartition("/")[0]


class PairColumns(ConfigTable):
    """Column names of a table with one claim pair per row; empty where it has no such column."""

    id: str = "id"
    topic: str = "topic"
    true: str = "true"
    """Text of the true version."""
    false: str = "false"
    """Text of the false version."""
    evidence: str = ""
    """Evidence strength, 0 to 1."""
    true_ratings: str = ""
    """Plausibility of the true version: a number, or a list with one number a rater."""
    false_ratings: str = ""


def read_pairs(table: TableFile, path: Path, columns: PairColumns) -> tuple[ClaimPair, ...]:
    """Read pairs from a table (text with a separator, JSON, JSONL, Parquet) by a map of its columns.

    Raises InputError for an unknown column, a missing or repeated id, a number that is none, and as
    `ClaimPair` does.
    """
    found = read_table(table, path, [name for name in columns.model_dump().values() if name])
    texts = [found.texts(name).to_pylist() for name in (columns.topic, columns.true, columns.false)]
    ids = found.ids(columns.id).to_pylist()
    evidence = found.numbers(columns.evidence).tolist() if columns.evidence else [None] * len(ids)
    ratings = [_read_ratings(found, name) for name in (columns.true_ratings, columns.false_ratings)]
    rows = zip(ids, *texts, evidence, *ratings, strict=True)
    return refuse_same_ids([ClaimPair(*row) for row in rows], path)


def _read_ratings(table: FileTable, name: str) -> list[tuple[float, ...]]:
    if not name:
        return [()] * len(table)
    try:
        return [tuple(map(float, ratings)) for ratings in table.lists(name)]
    except ValueError as error:
        raise InputError(
            f"{table.file}: {name} holds a rating that is no number ({error}); mend it"
        ) from None


def covid_fact_pairs(path: Path) -> tuple[ClaimPair, ...]:
    """Read pairs from COVID-Fact (Saakyan et al., ACL 2021): a claim and its first counter-claim.

    Claims of one source and one list of evidence sentences belong together; the source is the topic, the
    sentences are the passages. Counter-claims were made by replacing words with a language model, which
    leaves surface cues: put `score_baseline` beside every figure. They have no ratings and stay unmatched.
    """
    table = read_table(TableFile(file=path.name), path, ["claim", "label", "evidence", "gold_source"])
    return refuse_same_ids(list(_pair_claims(table)), path)


def _pair_claims(table: FileTable) -> Iterator[ClaimPair]:
    columns = [table.texts(name).to_pylist() for name in ("claim", "label", "gold_source")]
    groups: dict[tuple[str, tuple[str, ...]], dict[str, str]] = {}
    for claim, label, source, passages in zip(*columns, table.lists("evidence"), strict=True):
        groups.setdefault((source, passages), {}).setdefault(label, claim)
    for number, ((source, passages), claims) in enumerate(groups.items(), 1):
        true, false = claims.get("SUPPORTED", ""), claims.get("REFUTED", "")
        if true and false and true.casefold().split() != false.casefold().split():
            yield ClaimPair(f"covid-fact/{number}", source, true, false, passages=passages)
