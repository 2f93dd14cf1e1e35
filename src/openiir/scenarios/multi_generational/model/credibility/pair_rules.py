"""Which pairs a study meets: where they come from, how they are matched, and which topics are held out."""

from collections.abc import Callable, Sequence
from pathlib import Path

from pydantic import Field

from openiir.kit.items.table_files import TableFile
from openiir.plugin import ConfigTable, Draw, InputError, study_path
from openiir.scenarios.multi_generational.model.credibility.pair_sources import (
    PairColumns,
    covid_fact_pairs,
    read_pairs,
)
from openiir.scenarios.multi_generational.model.credibility.pairs import (
    DISTANCE,
    ClaimPair,
    MatchedPairs,
    TopicSplit,
    draw_split,
    match_pairs,
    split_topics,
)


class PairRule(ConfigTable):
    """Which pairs of true and false versions are met, and how they are matched and split."""

    table: str = ""
    """Path of a table with one pair a row (CSV, JSON, JSONL, Parquet), relative to the study; empty for the type's own pairs."""
    separator: str = Field(",", min_length=1, max_length=8, examples=[";"])
    """Separator of the table's columns, if it is text."""
    columns: PairColumns = PairColumns()
    """Names of the table's columns."""
    covid_fact: str = Field("", examples=["more-claims.jsonl"])
    """Path of COVID-Fact's file, to take its pairs instead; they bring their passages and have no ratings."""
    matched: bool = True
    """Whether pairs must be rated, and those are dropped whose versions differ too much in plausibility."""
    distance: float = Field(DISTANCE, ge=0, le=6)
    """Largest difference in mean plausibility, in points of the rating scale."""
    held_out: tuple[str, ...] = ()
    """Topics that no generation meets, for measures alone; empty draws some."""
    held_out_topics: int = Field(4, ge=1, le=1_000)
    """Number of topics that are drawn, where `held_out` names none."""

    def load(
        self, own: Callable[[], Sequence[ClaimPair]], folder: Path, draw: Draw
    ) -> tuple[TopicSplit, MatchedPairs]:
        """Read pairs (`own` gives the type's), match and split them; raises InputError for a set that cannot be used."""
        if self.table and self.covid_fact:
            raise InputError("config.set names a table and covid_fact; name one of them")
        if self.covid_fact:
            pairs: Sequence[ClaimPair] = covid_fact_pairs(
                study_path(self.covid_fact, folder, "config.set.covid_fact")
            )
        elif self.table:
            table = TableFile(file=self.table, separator=self.separator)
            pairs = read_pairs(table, study_path(self.table, folder, "config.set.table"), self.columns)
        else:
            pairs = own()
        matched = match_pairs(pairs, self.distance) if self.matched else MatchedPairs(tuple(pairs), ())
        topics = {pair.topic for pair in matched.pairs}
        if gone := sorted({pair.topic for pair in matched.dropped} - topics):
            raise InputError(
                f"all pairs on {', '.join(gone)} were dropped, since their versions differ by more than {self.distance:g} "
                "points in plausibility; raise config.set.distance, set matched = false, or take the topics out"
            )
        if not self.held_out:
            return draw_split(matched.pairs, self.held_out_topics, draw), matched
        train = sorted(topics - set(self.held_out))
        return split_topics(matched.pairs, train, self.held_out), matched
