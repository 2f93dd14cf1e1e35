"""The pairs and pages of a study, before anybody acts."""

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from openiir.kit.items.table_files import TableFile
from openiir.plugin import Stage
from openiir.scenarios.multi_generational.actions import Dropped, Matched
from openiir.scenarios.multi_generational.model.credibility.corpus import CorpusDocument
from openiir.scenarios.multi_generational.model.credibility.pair_sources import PairColumns, read_pairs
from openiir.scenarios.multi_generational.model.credibility.pairs import ClaimPair, MatchedPairs, TopicSplit

REFERENCE = Path(__file__).parent / "reference"
INVENTED = ("Pellowick", "Varresund", "the-marsh-tollow", "the-ferrin-dial")
"""Topics of the type's own pairs that do not exist, so that the evidence stands in the world alone."""


def own_pairs() -> tuple[ClaimPair, ...]:
    """Read the type's own pairs, rated, before matching."""
    columns = PairColumns(evidence="evidence", true_ratings="true_ratings", false_ratings="false_ratings")
    path = REFERENCE / "pairs.jsonl"
    return read_pairs(TableFile(file=path.name), path, columns)


def list_pages(stage: Stage, pairs: Sequence[ClaimPair]) -> list[CorpusDocument]:
    """List the passages of the world, named by their files, and those that pairs bring with them."""
    posts = {chunk.id for chunk in stage.log.found_chunks()}
    pages = [
        CorpusDocument(Path(chunk.source).stem.replace("-", " "), chunk.text)
        for chunk in stage.world().chunks if chunk.id not in posts
    ]  # fmt: skip
    return pages + [CorpusDocument(pair.topic, text) for pair in pairs for text in pair.passages]


def log_pairs(stage: Stage, split: TopicSplit, matched: MatchedPairs) -> None:
    """Log the pairs that are met and held out, and how many were dropped as unlike in plausibility."""
    for group, pairs in (("train", split.train), ("held out", split.held_out)):
        for pair in pairs:
            stage.act(None, Matched(
                pair=pair.id, topic=pair.topic, group=group, versions=(pair.true, pair.false),
                plausibility=() if not pair.true_ratings else (fmean(pair.true_ratings), fmean(pair.false_ratings)),
                evidence=pair.evidence,
            ))  # fmt: skip
    stage.act(None, Dropped(pairs=tuple(pair.id for pair in matched.dropped)))
