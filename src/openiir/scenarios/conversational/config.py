"""What a conversational study's `[config]` holds: catalogue, needs, users, simulators, systems, and what is measured."""

from math import fsum
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from openiir.kit.items import DataSpec
from openiir.plugin import Record

Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,39}$")]
SlotName = Annotated[str, Field(min_length=1, max_length=100)]
Simulators = Literal["agenda", "trained", "single", "dual"]
DECLARED = "system:"
"""How the `by` of a system begins that the study declares under `[system.NAME]`."""


class WholeRange(Record):
    """Whole numbers from `least` to `most`, each as likely as the others."""

    least: int = Field(ge=0, le=1_000_000)
    most: int = Field(ge=0, le=1_000_000)

    @model_validator(mode="after")
    def _check_order(self) -> "WholeRange":
        if self.least > self.most:
            raise ValueError(f"least = {self.least} is above most = {self.most}; swap them")
        return self


class TraitSpread(Record):
    """The distribution of a trait: a normal distribution truncated to 0 to 1, drawn by inversion."""

    mean: float = Field(ge=0, le=1)
    sd: float = Field(0.0, ge=0, le=1)


class PartialTable(Record):
    """A table whose sub-tables may be given in part; missing keys keep their defaults."""

    @model_validator(mode="before")
    @classmethod
    def _fill_from_defaults(cls, values: Any) -> Any:
        if not isinstance(values, dict):
            return values
        defaults = {
            name: field.default
            for name, field in cls.model_fields.items()
            if isinstance(field.default, Record)
        }
        given = {name: values[name] for name in defaults if isinstance(values.get(name), dict)}
        return values | {name: defaults[name].model_dump() | own for name, own in given.items()}


class GivenNeed(Record):
    """A need given in the study."""

    constraints: dict[SlotName, str | Annotated[tuple[str, ...], Field(min_length=1)]] = Field(
        min_length=1, examples=[{"genre": "Comedy"}]
    )
    """Slot to the value or values that an item must have, the weightiest first."""
    requests: tuple[SlotName, ...] = ()


class NeedSpec(PartialTable):
    """How needs are generated; at least one item of the catalogue satisfies each."""

    source: Literal["catalogue", "ratings"] = "catalogue"
    """What a need is drawn around: any item, or one that the user liked and that is held out."""
    constraints: WholeRange = WholeRange(least=2, most=3)
    requests: WholeRange = WholeRange(least=0, most=1)
    targets: WholeRange = WholeRange(least=1, most=10)
    """Target items a need, without those that the user has had."""
    stars: float = Field(1.0, ge=1, le=5)
    """An item must also promise its user so many stars of five, or else it is disliked; 1 asks for nothing, and then
    taste decides little."""
    informable: tuple[SlotName, ...] = ()
    """Slots that constraints are about; all attributes of the catalogue, without any named."""
    requestable: tuple[SlotName, ...] = ()
    """Slots that users ask about; all attributes, without any named."""
    given: tuple[GivenNeed, ...] = ()
    """Needs written by hand, which come first."""
    dialogues: str = Field("", max_length=500)
    """A file of people's dialogues whose needs come next, where an item satisfies them; formats as `validity`."""

    @model_validator(mode="after")
    def _check_bounds(self) -> "NeedSpec":
        if not (self.constraints.most and self.targets.least):
            raise ValueError(
                "a need has at least one constraint, and at least one item would do; let most and least be 1 or more"
            )
        return self


class TraitSpec(PartialTable):
    """How users behave, as distributions; they act in every simulator."""

    patience: TraitSpread = TraitSpread(mean=0.5, sd=0.2)
    """.5 leaves as fast as published; 1 nearly never, 0 twice as fast."""
    cooperativeness: TraitSpread = TraitSpread(mean=0.9, sd=0.1)
    """The chance of answering a question that one has an answer to."""
    talkativeness: TraitSpread = TraitSpread(mean=0.5, sd=0.2)
    """The chance of saying a further wish at once, and how many words are made."""
    knowledge: TraitSpread = TraitSpread(mean=0.9, sd=0.1)
    """The chance of knowing an attribute of an item that nobody has told one."""


class GroupSpec(TraitSpec):
    """A part of the population."""

    name: Name
    share: float = Field(gt=0, le=1)


class UserSpec(TraitSpec):
    """The population that users are drawn from."""

    groups: tuple[GroupSpec, ...] = ()
    """Parts of it that behave otherwise, by share; whoever is in none behaves as said here."""
    tokens: int = Field(4_000, ge=0, le=10_000_000)
    """Reply tokens that a user may spend on one dialogue."""

    @model_validator(mode="after")
    def _check_shares(self) -> "UserSpec":
        if fsum(group.share for group in self.groups) > 1 + 1e-9:
            raise ValueError("the shares of groups add up to more than 1; lower them")
        names = [group.name for group in self.groups]
        if len(set(names)) < len(names) or EVERYBODY in names:
            raise ValueError(
                f"groups need names of their own, other than {EVERYBODY!r}, which is all the others"
            )
        return self


EVERYBODY = "everybody"
"""The group of those who are in no other."""


class SimulatorSpec(Record):
    """A simulator of users."""

    name: Name
    """Its name in tables."""
    by: Simulators
    """`trained` is the agenda user that also understands a system's words by classifiers trained on `dialogues`."""
    acts: bool = False
    """Whether a system that says its acts, and takes the user's, exchanges them with the agenda user as they are; else
    both read words, as everybody does who meets a declared system."""
    dialogues: str = Field("", max_length=500)
    """A file of annotated dialogues that the agenda user's wordings and habits are learnt from; formats as `validity`."""


class DialogueSystemSpec(Record):
    """A conversational recommender under test."""

    name: Name
    """Its name in tables."""
    by: str = Field(min_length=1, max_length=500, examples=["random"])
    """A reference system, or `system:NAME` for a system that the study declares."""
    options: dict[str, Any] = {}


class DialogueJudgeSpec(Record):
    """A judge of dialogues by five aspects."""

    dialogues: int = Field(0, ge=0, le=1_000_000)
    """How many of each simulator's dialogues with each system are judged, the first ones; 0 for none."""
    repeats: int = Field(1, ge=1, le=20)
    """How often each is judged."""
    together: bool = False
    """Whether one question asks for all five aspects, in an order that is drawn, instead of one question an aspect."""
    probes: bool = False
    """Whether turning the scale round and padding are tried as well, to see whether they move the judge."""


class ValiditySpec(Record):
    """Dialogues of people that those simulated are compared with."""

    dialogues: str = Field("", max_length=500)
    """A file, `$OPENIIR_DATA/...` or relative to the study: `.json` is DialogueKit, `.tsv` INSPIRED, `.jsonl` ReDial."""


class ConversationalConfig(Record):
    """The `[config]` table."""

    dialogues: int = Field(100, ge=1, le=1_000_000)
    """Needs, each of which every simulator brings to every system."""
    turns: int = Field(10, ge=1, le=200)
    """The user's turns of one dialogue, at most."""
    data: DataSpec = DataSpec()
    data_seed: int = Field(42, ge=0, lt=2**63)
    """What needs and users are drawn by; the study's seed draws what they do."""
    held_out: float = Field(0.2, gt=0, lt=1)
    """Share of each user's ratings held out from systems and tastes; needs may be drawn around them."""
    needs: NeedSpec = NeedSpec()
    users: UserSpec = UserSpec()
    simulators: tuple[SimulatorSpec, ...] = Field(
        ("agenda",), validate_default=True, min_length=1, examples=[["dual"]]
    )
    """Simulators; a name alone stands for one of that kind."""
    systems: tuple[DialogueSystemSpec, ...] = Field(
        ("random", "attribute", "oracle"), validate_default=True, min_length=1, examples=[["popularity"]]
    )
    """Systems under test; a name alone stands for a reference system."""
    batch: int = Field(500, ge=1, le=100_000)
    """Needs of one step: what a crash can cost of the log, though never a reply."""
    judge: DialogueJudgeSpec = DialogueJudgeSpec()
    validity: ValiditySpec = ValiditySpec()

    @field_validator("simulators", "systems", mode="before")
    @classmethod
    def _expand_names(cls, value: Any) -> Any:
        if not isinstance(value, (list, tuple)):
            return value
        return [
            {"name": one.removeprefix(DECLARED), "by": one} if isinstance(one, str) else one for one in value
        ]

    @model_validator(mode="after")
    def _check_names(self) -> "ConversationalConfig":
        for what, specs in (("simulators", self.simulators), ("systems", self.systems)):
            names = [spec.name for spec in specs]
            if len(set(names)) < len(names):
                raise ValueError(f"two {what} have one name; give each its own")
        return self
