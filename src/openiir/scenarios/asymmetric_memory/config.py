"""The `[config]` table of asymmetric_memory studies, and the three worlds of its runs."""

from typing import Annotated

from pydantic import Field, field_validator

from openiir.plugin import ConfigTable, MemoryPolicy
from openiir.scenarios.asymmetric_memory.model import MOST_SOURCES

STATELESS, MIXED, MEMORY = "stateless", "mixed", "memory"
"""The worlds: nobody remembers, some do, all do. They are the arms of a run."""
Words = Annotated[str, Field(min_length=1, max_length=300)]


class AsymmetricMemoryConfig(ConfigTable):
    """Members ask sources, round by round, in three worlds."""

    members: int = Field(400, ge=4, le=1_000_000)
    """Number of members, personas included."""
    rounds: int = Field(30, ge=1, le=10_000)
    share: float = Field(0.5, ge=0, le=1)
    """Share of members who remember in the mixed world, the same of those with each goal."""
    memory: str = Field("full", examples=["window:1", "none"])
    """Memory policy of those who remember; a persona may name its own."""
    needs: dict[str, Words] | str = Field(min_length=1)
    """Words of each need by its id, or the queries of a collection (`ir_datasets:ID`)."""
    sources: tuple[Words, ...] = Field((), max_length=MOST_SOURCES)
    """Names of synthetic sources; without any, the folders of `[world]` are the sources."""
    qrels: dict[str, dict[str, int]] | str = ""
    """Grades of documents of `[world]` by need; or a TREC qrels file, `ir_datasets:ID`, or none."""
    capacity: float = Field(0.8, ge=0, le=1_000)
    """What a source serves in a round, as a multiple of an equal share of all requests; 0 serves all."""
    cue_noise: float = Field(0.2, ge=0, le=10)
    """Standard deviation of how good a source seems to a member, about how good it looks."""
    answer_noise: float = Field(0.1, ge=0, le=10)
    """Standard deviation of how good an answer is, about what its source is worth."""
    enough: float = Field(0.7, ge=0, le=1)
    """How good an answer must be to meet the need, so that the next one begins."""
    new_goal: float = Field(0.0, ge=0, le=1)
    """Chance that a member's goal is drawn anew after a round."""
    drift: float = Field(0.0, ge=0, le=1)
    """Chance that two sources exchange what they have after a round, without notice."""
    exchanged: bool = False
    """Whether all members read the memory of somebody with another goal: the null."""

    @field_validator("memory")
    @classmethod
    def _is_policy(cls, name: str) -> str:
        MemoryPolicy.parse(name)
        return name
