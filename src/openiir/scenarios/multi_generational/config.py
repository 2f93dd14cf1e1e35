"""Which pairs a study meets: where they come from, how they are matched, and which topics are held out."""

from typing import Annotated, Literal

from pydantic import Field

from openiir.kit.evolution import SelectionRule
from openiir.plugin import ConfigTable
from openiir.scenarios.multi_generational.model.credibility.pairs import DISTANCE, PairColumns


class PairRule(ConfigTable):
    """Which pairs of true and false versions are met, and how they are matched and split."""

    table: str = ""
    """Path of a table with a pair a row (CSV, JSON, JSONL, Parquet); empty for the type's own pairs."""
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


class CorpusRule(ConfigTable):
    """What becomes of posts that land."""

    stands: int = Field(4, ge=0, le=100)
    """Number of later generations in which a landed post can be found, unless it is removed."""
    copies: int = Field(1, ge=1, le=100)
    """Number of landed posts for each version of a pair that enter the corpus: those with most attention."""


ArmName = Literal["coevolution", "frozen_detectors", "frozen_producers", "neutral", "random_genomes", "twin"]
"""How a population comes from the one before; every arm has the same founders and the same pairs.

`coevolution` selects both sides; `frozen_detectors` and `frozen_producers` keep one side's founders;
`neutral` takes random parents, without elites, on both; `random_genomes` draws every generation anew;
`twin` does as the arm that it stands beside, and must come to the same.
"""
MainArm = Literal["coevolution", "frozen_detectors", "frozen_producers", "neutral"]
"""Arms in which births have parents, so that there is a lineage."""
Rate = Annotated[float, Field(ge=0, le=1)]


class MutationRule(ConfigTable):
    """How births change genomes. Rates may be 0 (nothing ever changes) and 1 (every locus at every birth)."""

    rate: Rate = 0.15
    """Probability, for each number of a genome, that a birth changes it."""
    text: Rate = 0.05
    """Probability, for each text (template, bio, expertise), that a birth rewrites or swaps it."""
    cue: float = Field(0.2, gt=0, le=1)
    """Standard deviation of a step of a producer's cues, of shares and of boldness, on 0 to 1."""
    weight: float = Field(0.4, gt=0, le=5)
    """Standard deviation of a step of a detector's weights and of its suspicion, in log-odds."""
    depth: int = Field(2, ge=1, le=9)
    """Largest step of a number of passages."""


class MatrixRule(ConfigTable):
    """The meeting of generations with each other on held-out topics, as the run's last step."""

    generations: int = Field(25, ge=0, le=200)
    """Number of generations, two or more, sampled evenly from first to last; 0 leaves the step out."""
    agents: int = Field(20, ge=2, le=1_000)
    """Largest number of agents of each side and generation that meet."""
    pairs: int = Field(10, ge=1, le=1_000)
    """Largest number of held-out pairs on which they meet."""


class MultiGenerationalConfig(ConfigTable):
    """The `[config]` table of a study."""

    rounds: int = Field(5, ge=1, le=100)
    """Rounds of moderation that a post must survive to land."""
    hazard: float = Field(0.5, gt=0, le=1)
    """Chance that a round of moderation removes a post that all detectors are sure is false."""
    depth_cost: float = Field(0.02, ge=0, le=1)
    """Fitness that a look-up of 10 passages costs."""
    sharing: bool = False
    """Whether fitness is what an agent beats, shared with all who beat the same (competitive sharing)."""
    corpus: CorpusRule = CorpusRule()
    generations: int = Field(50, ge=1, le=5_000)
    """Number of generations, the founders' included."""
    producers: int = Field(20, ge=2, le=1_000)
    """Number of producers in a generation."""
    detectors: int = Field(20, ge=2, le=1_000)
    """Number of detectors in a generation."""
    pairs: int = Field(20, ge=1, le=1_000)
    """Number of pairs that a generation meets on, rotated from one to the next."""
    arm: MainArm = "coevolution"
    """How the next generation comes about."""
    controls: tuple[ArmName, ...] = ("frozen_detectors", "frozen_producers", "neutral", "random_genomes")
    """Arms that are run beside it, with the same founders and draws; only their summaries are logged."""
    hall_of_fame: Rate = 0.0
    """Share of the opponents that are the best of earlier generations."""
    log: Literal["everything", "summaries"] = "everything"
    """What is logged of a generation: every post and judgement, or summaries, fitness and births alone."""
    set: PairRule = PairRule()
    selection: SelectionRule = SelectionRule()
    mutation: MutationRule = MutationRule()
    matrix: MatrixRule = MatrixRule()
