"""The `[config]` table of a study of producers and detectors."""

from typing import Annotated, Literal

from pydantic import Field

from openiir.kit.evolution import SelectionRule
from openiir.plugin import ConfigTable
from openiir.scenarios.multi_generational.model.credibility.meeting import MeetingRule
from openiir.scenarios.multi_generational.model.credibility.pair_rules import PairRule

Arm = Literal["coevolution", "frozen_detectors", "frozen_producers", "neutral", "random_genomes"]
"""How a population comes from the one before; every arm has the same founders and the same pairs.

`coevolution` selects both sides; `frozen_detectors` and `frozen_producers` keep the founders of one side; `neutral`
takes random parents, without elites, on both; `random_genomes` draws every generation anew.
"""
MainArm = Literal["coevolution", "frozen_detectors", "frozen_producers", "neutral"]
"""Arms in which births have parents, so that there is a lineage."""
Rate = Annotated[float, Field(ge=0, le=1)]


class MutationRule(ConfigTable):
    """How births change genomes. Rates may be 0 (nothing ever changes) and 1 (every locus at every birth)."""

    rate: Rate = 0.15
    """Probability, for each number of a genome, that a birth changes it."""
    text: Rate = 0.05
    """Probability, for each text (template, bio, expertise), that a birth rewrites it or swaps it for another."""
    cue: float = Field(0.2, gt=0, le=1)
    """Standard deviation of a step of a producer's cues, of shares and of boldness, on 0 to 1."""
    weight: float = Field(0.4, gt=0, le=5)
    """Standard deviation of a step of a detector's weights and of its suspicion, in log-odds."""
    depth: int = Field(2, ge=1, le=9)
    """Largest step of a number of passages."""


class MatrixRule(ConfigTable):
    """The meeting of generations with each other on held-out topics, as the run's last step."""

    generations: int = Field(25, ge=0, le=200)
    """Number of generations, two or more, sampled evenly with the first and the last among them; 0 leaves the step out."""
    agents: int = Field(20, ge=2, le=1_000)
    """Largest number of agents of each side and generation that meet."""
    pairs: int = Field(10, ge=1, le=1_000)
    """Largest number of held-out pairs on which they meet."""


class MultiGenerationalConfig(MeetingRule):
    """The `[config]` table of a study."""

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
    controls: tuple[Arm, ...] = ("frozen_detectors", "frozen_producers", "neutral", "random_genomes")
    """Arms that are run beside it, with the same founders and draws; only their summaries are logged."""
    hall_of_fame: Rate = 0.0
    """Share of the opponents that are the best of earlier generations."""
    log: Literal["everything", "summaries"] = "everything"
    """What is logged of a generation: every post and judgement, or summaries, fitness and births alone."""
    set: PairRule = PairRule()
    selection: SelectionRule = SelectionRule()
    mutation: MutationRule = MutationRule()
    matrix: MatrixRule = MatrixRule()
