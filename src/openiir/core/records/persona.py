"""Personas, in one format for all scenario types."""

import unicodedata
from typing import Annotated, Literal

from pydantic import Field, field_validator

from openiir.core.records.record import Record

Hour = Annotated[int, Field(ge=0, le=23)]
RetrievalMode = Literal["hybrid", "rerank", "keyword", "match", "vector", "own", "none"]
"""How a world is searched: `own` is by its retriever, hybrid where it has none; `none` finds nothing."""


class BigFive(Record):
    """The five personality factors, each from 0 (low) to 1 (high); 0.5 is average."""

    openness: float = Field(0.5, ge=0, le=1)
    conscientiousness: float = Field(0.5, ge=0, le=1)
    extraversion: float = Field(0.5, ge=0, le=1)
    agreeableness: float = Field(0.5, ge=0, le=1)
    neuroticism: float = Field(0.5, ge=0, le=1)


class ActivityProfile(Record):
    """How often and at which hours a persona is active on a platform."""

    posts_per_hour: float = Field(0.1, ge=0)
    comments_per_hour: float = Field(0.2, ge=0)
    active_hours: tuple[Hour, ...] = tuple(range(24))
    """Hours of the day when the persona is active, 0 to 23."""
    response_delay_minutes: float = Field(40.0, ge=0)
    """Median delay of a reaction, in minutes."""


class Persona(Record):
    """A simulated person in a study; scenario types ignore the fields they do not need."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")
    name: str = Field(min_length=1, max_length=120)
    bio: str = Field(min_length=1, max_length=4_000)
    """One paragraph about the persona."""
    tokens: int = Field(4_000, ge=0)
    """Reply tokens that the persona may produce in a run."""
    searches: int = Field(0, ge=0)
    """Web searches that the persona may make in a run."""
    stance: float | None = Field(None, ge=-1, le=1)
    """Stance from -1 (rejects the topic) to +1 (supports it); None derives it from the bio and the world."""
    influence: float = Field(1.0, gt=0)
    """Weight of the persona's statements for others; 1 is ordinary."""
    interests: tuple[str, ...] = ()
    """Search terms of the persona's first look-ups in a world."""
    activity: ActivityProfile | None = None
    big_five: BigFive = BigFive()
    retrieval: RetrievalMode = "hybrid"
    """Retrieval mode of the persona's look-ups; a study gives its own to those that name none."""
    memory: str = Field(
        "full",
        pattern=r"^(full|none|episodic(\+reflection)?|(window|recent|decayed):[1-9][0-9]{0,8}|"
        r"shared:[a-z0-9][a-z0-9-]{0,40})$",
    )
    """Memory policy: `none`, `window:N` (or `recent:N`, its old name), `decayed:N`, `shared:NAME`,
    `episodic`, `episodic+reflection`; `full` uses the study's policy, by default `episodic`."""
    traits: dict[str, str | int | float | bool] = {}
    """Further attributes that a study or scenario type reads."""

    @field_validator("bio", "name")
    @classmethod
    def _one_paragraph(cls, text: str) -> str:
        if all(unicodedata.category(sign)[0] in "CZ" for sign in text):
            raise ValueError("is blank")
        return " ".join(text.split())
