"""Interaction models of UserSimCRS: user intents, and the system intents expected after each."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import AfterValidator, BaseModel, BeforeValidator

from openiir.plugin import InputError, Record, int_sum, read_text
from openiir.scenarios.conversational.model.dialogue import OTHER, SCHEMES, Scheme
from openiir.scenarios.conversational.model.formats.files import parse_as

ROLES: Mapping[str, str] = {
    "INTENT_START": "GREET",
    "INTENT_STOP": "BYE",
    "INTENT_ITEM_CONSUMED": "CONSUMED",
    **{f"INTENT_{ours}": ours for ours in "LIKE DISLIKE NEUTRAL DISCLOSE INQUIRE YES NO DONT_KNOW".split()},
}
"""Required intents of an interaction model to openiir's user intents."""
_CONTINGENT = {
    "POSITIVE": "LIKE",
    "NEGATIVE": "DISLIKE",
    "NEUTRAL": "NEUTRAL",
    "CONSUMED": "CONSUMED",
    "NOT_CONSUMED": "NO",
}


@dataclass(frozen=True)
class LeftOut:
    """A configuration key that could not be imported as it is."""

    key: str
    """Dotted path of the key, such as `REWARD.cost`."""
    why: str


@dataclass(frozen=True)
class ImportedConfig:
    """An imported configuration and the keys that were left out."""

    value: "InteractionModel"
    left_out: tuple[LeftOut, ...]

    def report(self) -> str:
        """List the keys that were not imported, one per line; empty if all were."""
        return "".join(f"{one.key}: {one.why}\n" for one in self.left_out)


class InteractionModel(Record):
    """A scheme of intents with the system intents expected after each user intent.

    Names of system intents may end in `*`, which matches any ending.
    """

    name: str
    description: str = ""
    roles: Mapping[str, str] = {}
    """openiir's user intents to the model's."""
    meanings: Mapping[str, str] = {}
    """Other user intents of the model to openiir's, by the preference that they depend on."""
    expected: Mapping[str, tuple[str, ...]]
    """Each user intent to the system intents expected after it."""
    elicit: tuple[str, ...] = ()
    """System intents that ask for a preference."""
    retrieve: tuple[str, ...] = ()
    """System intents that recommend items."""
    inquire: tuple[str, ...] = ()
    """System intents that offer more information."""

    def system_intent(self, intent: str) -> str:
        """Map a system intent to openiir's: by a known scheme, then by the model's lists, else OTHER."""
        known = self._known_scheme()
        if known is not None and known.knows("system", intent):
            return known.ours("system", intent)
        lists = ((self.elicit, "ELICIT"), (self.retrieve, "RECOMMEND"), (self.inquire, "OFFER"))
        listed = next((ours for names, ours in lists if _matches(intent, names)), None)
        return listed or (known.ours("system", intent) if known is not None else OTHER)

    def scheme(self) -> Scheme:
        """Build the scheme that maps the model's intents to openiir's; known schemes precede roles."""
        known = self._known_scheme()
        user = {**self.meanings, **{theirs: ours for ours, theirs in self.roles.items()}}
        for intent in self.expected:
            user.setdefault(intent, OTHER if known is None else known.ours("user", intent))
        lists = (*self.expected.values(), self.elicit, self.retrieve, self.inquire)
        named = dict.fromkeys(name for names in lists for name in names)
        system = {name: self.system_intent(name) for name in named if not name.endswith("*")}
        if known is not None:
            user.update({name: ours for name, ours in known.user.items() if name in user or ours != OTHER})
            system = {**known.system, **system}
        return Scheme(name=self.name, user=user, system=system, says=self.roles)

    def _known_scheme(self) -> Scheme | None:
        """Return the known scheme that has most of the user intents; None if every scheme has less than
        half."""
        names = dict.fromkeys([*self.expected, *self.roles.values()])
        best = max(SCHEMES.values(), key=lambda scheme: int_sum(scheme.knows("user", name) for name in names))
        known = int_sum(best.knows("user", name) for name in names)
        return best if 2 * known >= len(names) else None


def _matches(intent: str, names: Iterable[str]) -> bool:
    return any(intent == name or (name.endswith("*") and fnmatchcase(intent, name)) for name in names)


Names = Annotated[
    tuple[str, ...],
    BeforeValidator(lambda value: value or ()),
    AfterValidator(lambda names: tuple(dict.fromkeys(names))),
]
"""Distinct names of intents; none where the file has no value."""


class _UserIntent(BaseModel, extra="allow"):
    """A user intent in the file: its sub-intents (CIR6), or what follows it and the preference that it
    depends on."""

    below: Names = ()
    expected_agent_intents: Names = ()
    preference_contingent: str = ""


class _ModelFile(BaseModel, extra="allow"):
    """The keys of an interaction model's file; every value in it is a text."""

    name: str = ""
    description: str = ""
    required_intents: dict[str, str] = {}
    user_intents: dict[
        str,
        Annotated[_UserIntent, BeforeValidator(lambda how: how if isinstance(how, dict) else {"below": how})],
    ]
    agent_intents: dict[str, Names] = {}
    expected_responses: dict[str, Names] = {}
    agent_elicit_intents: Names = ()
    agent_set_retrieval: Names = ()
    agent_inquire_intents: Names = ()
    REWARD: dict[str, Any] = {}


def read_interaction_model(path: Path | str) -> ImportedConfig:
    """Read an interaction model file and list the keys that openiir does not support.

    Every value is read as text: YES and NO are intents. Raises InputError, naming the line or the key, for
    what is no YAML or no interaction model, and for a key that stands twice with two values.
    """
    path = Path(path)
    values = {key: value for key, value in _load_yaml(path).items() if value != ""}
    if not isinstance(values.get("user_intents"), dict) or not values["user_intents"]:
        raise InputError(
            f"{path} declares no user_intents, so there is nothing that a user could say; add them"
        )
    file = parse_as(_ModelFile, values, str(path))
    left = {f"REWARD.{key}": "no reward is computed from a dialogue's acts here" for key in file.REWARD}
    expected = _expected_intents(file, left)
    model = InteractionModel(
        name=file.name or path.stem,
        description=file.description,
        roles=_roles(file, left),
        meanings={
            name: _CONTINGENT[how.preference_contingent]
            for name, how in file.user_intents.items()
            if how.preference_contingent in _CONTINGENT
        },
        expected=expected,
        elicit=file.agent_elicit_intents,
        retrieve=file.agent_set_retrieval,
        inquire=_inquire(file, expected, left),
    )
    left |= dict.fromkeys(file.model_extra or {}, "there is no such thing here")
    return ImportedConfig(model, tuple(LeftOut(key, why) for key, why in left.items()))


def _roles(file: _ModelFile, left: dict[str, str]) -> dict[str, str]:
    if not file.required_intents:
        left["required_intents"] = "is missing; what intents mean is taken from their names"
    roles = {}
    for role, intent in file.required_intents.items():
        if role not in ROLES:
            left[f"required_intents.{role}"] = f"no such role here; known: {', '.join(ROLES)}"
        elif not intent:
            left[f"required_intents.{role}"] = f"is empty, so no intent of theirs stands for {ROLES[role]}"
        else:
            roles[ROLES[role]] = intent
    return roles


def _expected_intents(file: _ModelFile, left: dict[str, str]) -> dict[str, tuple[str, ...]]:
    """Read each user intent's expected system intents, which CIR6 lists apart, and note those that are not
    declared."""
    expected: dict[str, tuple[str, ...]] = {}
    for name, how in file.user_intents.items():
        expected |= {name: how.expected_agent_intents, **dict.fromkeys(how.below, ())}
        for key in how.model_extra or {}:
            unlearns = key == "remove_user_preference"
            why = "users here do not unlearn a preference" if unlearns else "there is no such thing here"
            left[f"user_intents.{name}.{key}"] = why
    for name, answers in file.expected_responses.items():
        expected[name] = (*expected.get(name, ()), *answers)
    declared = {name for top, below in file.agent_intents.items() for name in (top, *below)}
    for name in (answer for answers in expected.values() for answer in answers):
        if declared and not _matches(name, declared):
            left[f"agent_intents.{name}"] = "is expected but not declared; taken over as expected"
    return expected


def _inquire(
    file: _ModelFile, expected: Mapping[str, Iterable[str]], left: dict[str, str]
) -> tuple[str, ...]:
    """List the system intents that offer more information, without user intents and intents that elicit."""
    answers = {name for names in expected.values() for name in names}
    kept = []
    for name in file.agent_inquire_intents:
        key = f"agent_inquire_intents.{name}"
        if _matches(name, file.agent_elicit_intents):
            left[key] = "asks for a preference already; it cannot offer to tell more as well"
        elif name in expected and name not in answers:
            left[key] = "is an intent of the user, not of the system"
        else:
            kept.append(name)
    return tuple(kept)


class _Loader(yaml.BaseLoader):
    """A YAML loader that makes texts of all values and refuses a key with two different values."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[str, Any]:
        """Build a table; raise an error for a key with two values."""
        found: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = str(self.construct_object(key_node, deep=True))
            value = self.construct_object(value_node, deep=True)
            if found.setdefault(key, value) != value:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key} has two values", key_node.start_mark
                )
        return found


def _load_yaml(path: Path) -> dict[str, Any]:
    """Load a YAML file whose top level is a table."""
    text = read_text(path, limit="yaml_bytes")
    try:
        found = yaml.load(text, _Loader)
    except yaml.MarkedYAMLError as error:
        line = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise InputError(f"{path}{line}: {error.problem or 'no YAML'}; mend that line") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise InputError(
            f"{path}: no YAML ({str(error).splitlines()[0]}); check that it is the right file"
        ) from None
    if not isinstance(found, dict) or not found:
        raise InputError(f"{path} holds no keys with values; check that it is the right file")
    return found
