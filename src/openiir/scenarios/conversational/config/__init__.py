"""Configuration of a conversational study: catalogue, needs, users, simulators, systems, judge and
validity."""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from math import fsum
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from openiir.kit.items import DataSpec
from openiir.plugin import ConfigTable, Log, Record

Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,39}$")]
SlotName = Annotated[str, Field(min_length=1, max_length=100)]
Simulators = Literal["agenda", "trained", "single", "dual"]
DECLARED = "system:"
"""Prefix of `by` for a system that the study declares under `[system.NAME]`."""


class WholeRange(ConfigTable):
    """Uniform distribution over the whole numbers from `least` to `most`."""

    least: int = Field(ge=0, le=1_000_000)
    """Smallest number."""
    most: int = Field(ge=0, le=1_000_000)
    """Largest number."""

    @model_validator(mode="after")
    def _check_order(self) -> "WholeRange":
        if self.least > self.most:
            raise ValueError(f"least = {self.least} is above most = {self.most}; swap them")
        return self


class TraitSpread(ConfigTable):
    """Distribution of a user trait: normal, truncated to 0 to 1."""

    mean: float = Field(ge=0, le=1)
    """Mean over the users, 0 to 1."""
    sd: float = Field(0.0, ge=0, le=1)
    """Standard deviation over the users."""


class PartialTable(ConfigTable):
    """Configuration table in which nested tables may be given in part; missing keys keep their defaults."""

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


class GivenNeed(ConfigTable):
    """Information need written out in the study."""

    constraints: dict[SlotName, str | Annotated[tuple[str, ...], Field(min_length=1)]] = Field(
        min_length=1, examples=[{"genre": "Comedy"}]
    )
    """Required value, or values, of each slot, the most important slot first."""
    requests: tuple[SlotName, ...] = ()
    """Slots that the user asks about."""


class NeedSpec(PartialTable):
    """Settings of how information needs are generated; every need has at least one target item."""

    source: Literal["catalogue", "ratings"] = "catalogue"
    """Item that a need is generated from: `catalogue` takes any item, `ratings` a held-out item that the user
    liked."""
    constraints: WholeRange = WholeRange(least=2, most=3)
    """Number of constraints in a need, drawn between these bounds."""
    requests: WholeRange = WholeRange(least=0, most=1)
    """Number of slots in a need that the user asks about, drawn between these bounds."""
    targets: WholeRange = WholeRange(least=1, most=10)
    """Minimum and maximum number of target items of a need, not counting items that the user has consumed."""
    stars: float = Field(1.0, ge=1, le=5)
    """Minimum expected rating, in stars of five, of an item that the user accepts; items below it are
    disliked. With 1 there is no such limit, and taste has little influence."""
    informable: tuple[SlotName, ...] = ()
    """Slots that constraints may be about; all attributes of the catalogue if empty."""
    requestable: tuple[SlotName, ...] = ()
    """Slots that users may ask about; all attributes of the catalogue if empty."""
    given: tuple[GivenNeed, ...] = ()
    """Needs written by hand, which are used first."""
    dialogues: str = Field("", max_length=500)
    """File of human dialogues whose needs are used next, if some item satisfies them; same formats as
    `validity`."""

    @model_validator(mode="after")
    def _check_bounds(self) -> "NeedSpec":
        if not (self.constraints.most and self.targets.least):
            raise ValueError(
                "a need has at least one constraint, and at least one item would do; let most and "
                "least be 1 or more"
            )
        return self


class TraitSpec(PartialTable):
    """Distributions of the user traits, which apply to every simulator."""

    patience: TraitSpread = TraitSpread(mean=0.5, sd=0.2)
    """How long the user goes on before giving up: .5 is the published rate, 0 twice that rate, and 1 almost
    never gives up."""
    cooperativeness: TraitSpread = TraitSpread(mean=0.9, sd=0.1)
    """Probability that the user answers a question to which there is an answer."""
    talkativeness: TraitSpread = TraitSpread(mean=0.5, sd=0.2)
    """Probability of disclosing a second constraint at once; it also sets how long utterances are."""
    knowledge: TraitSpread = TraitSpread(mean=0.9, sd=0.1)
    """Probability that the user already knows an attribute of an item."""


@dataclass(frozen=True)
class Traits:
    """Traits of one user, each 0 to 1, as described at `TraitSpec`."""

    patience: float
    cooperativeness: float
    talkativeness: float
    knowledge: float


TRAITS = tuple(TraitSpec.model_fields)
"""Names of the user traits."""


class GroupSpec(TraitSpec):
    """Group of the user population with traits of its own."""

    name: Name
    """Name of the group in tables."""
    share: float = Field(gt=0, le=1)
    """Share of the users who are in the group."""


class UserSpec(TraitSpec):
    """Population from which the simulated users are drawn."""

    groups: tuple[GroupSpec, ...] = ()
    """Groups with traits of their own and their share of the population; all other users have the traits
    given here."""
    tokens: int = Field(4_000, ge=0, le=10_000_000)
    """Maximum number of reply tokens that a user may spend on one dialogue."""

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
"""Name of the group of all users who are in no declared group."""


class SimulatorSpec(ConfigTable):
    """A user simulator to run."""

    name: Name
    """Name of the simulator in tables."""
    by: Simulators
    """Kind of simulator; `trained` is the agenda simulator with intent classifiers trained on `dialogues`."""
    acts: bool = False
    """Whether the agenda simulator and a reference system exchange dialogue acts directly. Otherwise, and
    with declared systems always, both read each other's words."""
    dialogues: str = Field("", max_length=500)
    """File of annotated dialogues from which the agenda simulator learns wordings and reply habits; same
    formats as `validity`."""


class DialogueSystemSpec(ConfigTable):
    """A conversational recommender under test."""

    name: Name
    """Name of the system in tables."""
    by: str = Field(min_length=1, max_length=500, examples=["random"])
    """Name of a reference system, or `system:NAME` for a system declared in the study."""
    options: dict[str, Any] = {}
    """Options of the system, as its kind declares them."""


class DialogueJudgeSpec(ConfigTable):
    """Settings of the judge, which grades dialogues by five aspects."""

    dialogues: int = Field(0, ge=0, le=1_000_000)
    """Number of needs whose dialogues are judged, for every simulator and system; 0 for none."""
    repeats: int = Field(1, ge=1, le=20)
    """Number of times each dialogue is judged."""
    together: bool = False
    """Whether one question asks for all five aspects, in random order, instead of one question per aspect."""
    probes: bool = False
    """Whether to judge again with the scale reversed and with padded dialogues, to measure the judge's
    bias."""


class ValiditySpec(ConfigTable):
    """Human dialogues to compare the simulated dialogues with."""

    dialogues: str = Field("", max_length=500)
    """File of dialogues, `$OPENIIR_DATA/...` or relative to the study: `.json` is DialogueKit, `.tsv`
    INSPIRED, `.jsonl` ReDial."""


class ConversationalConfig(ConfigTable):
    """The `[config]` table of a conversational study."""

    dialogues: int = Field(100, ge=1, le=1_000_000)
    """Number of needs; each simulator holds one dialogue about each need with each system."""
    turns: int = Field(10, ge=1, le=200)
    """Maximum number of user turns of a dialogue."""
    data: DataSpec = DataSpec()
    data_seed: int = Field(42, ge=0, lt=2**63)
    """Random seed of needs and users; the study's seed sets their behaviour."""
    held_out: float = Field(0.2, gt=0, lt=1)
    """Share of each user's ratings held out from systems; needs may be generated from them."""
    needs: NeedSpec = NeedSpec()
    users: UserSpec = UserSpec()
    simulators: tuple[SimulatorSpec, ...] = Field(
        ("agenda",), validate_default=True, min_length=1, examples=[["dual"]]
    )
    """Simulators to run; a name alone stands for the simulator of that kind."""
    systems: tuple[DialogueSystemSpec, ...] = Field(
        ("random", "attribute", "oracle"), validate_default=True, min_length=1, examples=[["popularity"]]
    )
    """Systems under test; a name alone stands for the reference system of that name."""
    batch: int = Field(500, ge=1, le=100_000)
    """Number of needs per step. After a crash at most one step is run again; replies already recorded are
    reused."""
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


def config_at(log: Log, step: int) -> ConversationalConfig:
    """Return the study's configuration with all changes up to a step, this one included."""
    values = deepcopy(log.study["config"])
    for event in log.events("changed", until=step):
        for key, value in event.payload.items():
            if not key.startswith("answers"):
                _replace(values, key.removeprefix("config.").split("."), value)
    return ConversationalConfig.model_validate(values)


def initial_config(study: Mapping[str, Any]) -> ConversationalConfig:
    """Return the configuration that a run began with."""
    return ConversationalConfig.model_validate(study["config"])


def _replace(values: Any, path: list[str], value: Any) -> None:
    """Set a dotted key; a part of digits is a place in a list."""
    for part in path[:-1]:
        values = values[int(part)] if isinstance(values, list) else values.setdefault(part, {})
    if isinstance(values, list):
        values[int(path[-1])] = value
    else:
        values[path[-1]] = value
