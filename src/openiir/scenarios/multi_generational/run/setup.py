"""The pairs and pages of a study, before anybody acts."""

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from openiir.kit.items.table_files import TableFile
from openiir.plugin import Draw, InputError, Stage, study_path
from openiir.scenarios.multi_generational.config import PairRule
from openiir.scenarios.multi_generational.model.credibility.corpus import CorpusDocument
from openiir.scenarios.multi_generational.model.credibility.pairs import (
    ClaimPair,
    MatchedPairs,
    PairColumns,
    TopicSplit,
    covid_fact_pairs,
    draw_split,
    match_pairs,
    read_pairs,
    split_topics,
)
from openiir.scenarios.multi_generational.run.actions import Dropped, Matched

REFERENCE = Path(__file__).parents[1] / "reference"
INVENTED = ("Pellowick", "Varresund", "the-marsh-tollow", "the-ferrin-dial")
"""Topics of the type's own pairs that do not exist, so that the evidence stands in the world alone."""


def shipped_pairs() -> tuple[ClaimPair, ...]:
    """Read the true-false claim pairs that ship with the scenario, with their plausibility ratings."""
    columns = PairColumns(evidence="evidence", true_ratings="true_ratings", false_ratings="false_ratings")
    path = REFERENCE / "pairs.jsonl"
    return read_pairs(TableFile(file=path.name), path, columns)


def list_pages(stage: Stage, pairs: Sequence[ClaimPair]) -> list[CorpusDocument]:
    """List the passages of the world, named by file, and those that the claim pairs bring with them."""
    posts = {chunk.id for chunk in stage.log.found_chunks()}
    chunks = (chunk for chunk in stage.world().chunks if chunk.id not in posts)
    pages = [CorpusDocument(Path(one.source).stem.replace("-", " "), one.text) for one in chunks]
    return pages + [CorpusDocument(pair.topic, text) for pair in pairs for text in pair.passages]


def log_pairs(stage: Stage, split: TopicSplit, matched: MatchedPairs) -> None:
    """Log the training and held-out claim pairs, and how many were dropped for unequal plausibility."""
    for group, pairs in (("train", split.train), ("held out", split.held_out)):
        for pair in pairs:
            ratings = (pair.true_ratings, pair.false_ratings) if pair.true_ratings else ()
            matched_pair = Matched(
                pair=pair.id,
                topic=pair.topic,
                group=group,
                versions=(pair.true, pair.false),
                plausibility=tuple(map(fmean, ratings)),
                evidence=pair.evidence,
            )
            stage.act(None, matched_pair)
    stage.act(None, Dropped(pairs=tuple(pair.id for pair in matched.dropped)))


def load_pairs(rule: PairRule, folder: Path, draw: Draw) -> tuple[TopicSplit, MatchedPairs]:
    """Read, match and split the claim pairs, by default those shipped; raises InputError for an unfit set."""
    if rule.table and rule.covid_fact:
        raise InputError("config.set names a table and covid_fact; name one of them")
    if rule.covid_fact:
        pairs = covid_fact_pairs(study_path(rule.covid_fact, folder, "config.set.covid_fact"))
    elif rule.table:
        table = TableFile(file=rule.table, separator=rule.separator)
        pairs = read_pairs(table, study_path(rule.table, folder, "config.set.table"), rule.columns)
    else:
        pairs = shipped_pairs()
    matched = match_pairs(pairs, rule.distance) if rule.matched else MatchedPairs(pairs, ())
    topics = {pair.topic for pair in matched.pairs}
    if gone := sorted({pair.topic for pair in matched.dropped} - topics):
        raise InputError(
            f"all pairs on {', '.join(gone)} were dropped, since their versions differ by more than "
            f"{rule.distance:g} points in plausibility; raise config.set.distance, set matched = false, or "
            "take the topics out"
        )
    if not rule.held_out:
        return draw_split(matched.pairs, rule.held_out_topics, draw), matched
    return split_topics(matched.pairs, rule.held_out), matched
