"""The `[config]` of a panel: its topic, the shape of its rounds, and how stances move."""

import tomllib
from importlib import resources
from typing import Any, Literal, get_args

from pydantic import Field, field_validator

from openiir.plugin import ConfigTable
from openiir.scenarios.panel.model.beliefs.modes import Mode
from openiir.scenarios.panel.model.speaking.utterances import SpeechAct

Until = Literal[
    "everyone-spoke", "saturation", "counters-answered", "final-stances", "stability", "quota", "all-voted"
]
SPEECH_ACTS: tuple[SpeechAct, ...] = get_args(SpeechAct)
SHAPES = ("standard", "delphi", "ideation")


class Round(ConfigTable):
    """A round of a panel: its form, its aim, and when it ends."""

    name: str = Field(min_length=1, max_length=60)
    """Name of the round, shown to every speaker."""
    goal: str = Field(min_length=1, max_length=400)
    """The aim of the round in one sentence, shown to the moderator and to every speaker."""
    turns: int = Field(ge=1, le=500)
    """Hard cap: utterances in a talk, sweeps of the whole table in the other forms."""
    form: Literal["talk", "estimate", "pitch", "vote", "rank"] = "talk"
    """What panelists do in the round: talk in turns, estimate, pitch ideas, vote on them, or rank them."""
    acts: tuple[SpeechAct, ...] = Field(SPEECH_ACTS, min_length=1)
    """Speech acts that a speaker may choose in a talk."""
    first_words: int = Field(1, ge=0, le=20)
    """How often every panelist has spoken in a talk before the moderator may close it with its aim unmet."""
    until: tuple[Until, ...] = ()
    """Conditions, any of which ends the round before its cap."""
    each: int = Field(2, ge=1, le=20)
    """Ideas that a persona may pitch (pitch), votes an idea needs (vote), or ideas to end with (rank)."""


class Shape(ConfigTable):
    """The rounds of a panel, in order."""

    round: tuple[Round, ...] = Field(min_length=1)
    """The rounds."""


class PanelConfig(ConfigTable):
    """The `[config]` table of a panel."""

    topic: str = Field(min_length=8, max_length=400)
    """A proposition that one can support or reject."""
    shape: Shape = Field("standard", validate_default=True)  # type: ignore[assignment]
    """The rounds: `standard`, `delphi`, `ideation`, a table of rounds, or { file = "my-shape.toml" }."""
    dynamics: Mode = "combined"
    """The rule by which stances move after each utterance; `none` is the control without communication."""
    mu: float = Field(0.3, ge=0, le=1)
    """How far a hearer moves towards what is heard: 0 not at all, 1 all the way."""
    epsilon: float = Field(1.0, gt=0, le=2)
    """Largest distance (on -1 to 1) from which a claim moves a hearer."""
    phi: float = Field(0.05, ge=0, le=1)
    """Pull towards the first stance at every step."""
    omega: float = Field(0.3, ge=0, le=1)
    """Mean weight that a Delphi panelist gives to the group's median when revising."""
    passages: int = Field(6, ge=1, le=20)
    """Number of passages that a speaker is shown."""
    blind: bool = False
    """Whether connectives are removed before claims are extracted, so that none names its relation."""

    @field_validator("shape", mode="before")
    @classmethod
    def _by_name(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        if value not in SHAPES:
            raise ValueError(
                f"no shape is called {value!r}; known: {', '.join(SHAPES)}, or a file of your own"
            )
        shapes = resources.files("openiir.scenarios.panel") / "reference" / "shapes"
        return tomllib.loads((shapes / f"{value}.toml").read_text("utf-8"))
