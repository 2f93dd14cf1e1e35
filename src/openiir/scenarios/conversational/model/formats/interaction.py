"""Interaction models of UserSimCRS: user intents, and the system intents expected after each."""

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from openiir.plugin import InputError, Record, int_sum
from openiir.scenarios.conversational.model.dialogue import OTHER, SCHEMES, Scheme
from openiir.scenarios.conversational.model.formats.yaml_file import Document, ImportedConfig, read_yaml

ROLES: Mapping[str, str] = {
    "INTENT_START": "GREET",
    "INTENT_STOP": "BYE",
    "INTENT_ITEM_CONSUMED": "CONSUMED",
    "INTENT_LIKE": "LIKE",
    "INTENT_DISLIKE": "DISLIKE",
    "INTENT_NEUTRAL": "NEUTRAL",
    "INTENT_DISCLOSE": "DISCLOSE",
    "INTENT_INQUIRE": "INQUIRE",
    "INTENT_YES": "YES",
    "INTENT_NO": "NO",
    "INTENT_DONT_KNOW": "DONT_KNOW",
}
"""Required intents of an interaction model to openiir's user intents."""
_CONTINGENT = {
    "POSITIVE": "LIKE",
    "NEGATIVE": "DISLIKE",
    "NEUTRAL": "NEUTRAL",
    "CONSUMED": "CONSUMED",
    "NOT_CONSUMED": "NO",
}
_ELICIT, _RETRIEVE, _INQUIRE = "agent_elicit_intents", "agent_set_retrieval", "agent_inquire_intents"


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
        """Build the scheme that maps the model's intents to openiir's; a known scheme takes precedence over roles."""
        known = self._known_scheme()
        user = {**self.meanings, **{theirs: ours for ours, theirs in self.roles.items()}}
        for intent in self.expected:
            user.setdefault(intent, OTHER if known is None else known.ours("user", intent))
        named = dict.fromkeys(
            name
            for names in (*self.expected.values(), self.elicit, self.retrieve, self.inquire)
            for name in names
        )
        system = {name: self.system_intent(name) for name in named if not name.endswith("*")}
        if known is not None:
            user.update({name: ours for name, ours in known.user.items() if name in user or ours != OTHER})
            system = {**known.system, **system}
        return Scheme(name=self.name, user=user, system=system, says=self.roles)

    def _known_scheme(self) -> Scheme | None:
        """Return the known scheme that has most of the user intents; None if every scheme has less than half."""
        names = dict.fromkeys([*self.expected, *self.roles.values()])
        share = {
            scheme.name: int_sum(scheme.knows("user", name) for name in names) for scheme in SCHEMES.values()
        }
        best = max(share, key=lambda name: share[name])
        return SCHEMES[best] if 2 * share[best] >= len(names) else None


def _matches(intent: str, names: Iterable[str]) -> bool:
    return any(intent == name or (name.endswith("*") and fnmatchcase(intent, name)) for name in names)


def read_interaction_model(path: Path | str) -> ImportedConfig[InteractionModel]:
    """Read an interaction model file and list the keys that openiir does not support.

    Raises InputError, naming the key.
    """
    document = read_yaml(path)
    for key in ("full_set_points", "intents", "repeat_penalty", "cost"):
        if key in document.table("REWARD"):
            document.leave(f"REWARD.{key}", "no reward is computed from a dialogue's acts here")
    user = document.get("user_intents")
    if not isinstance(user, dict) or not user:
        raise InputError(
            f"{document.path} declares no user_intents, so there is nothing that a user could say; add them"
        )
    expected, meanings = _user_intents(document, user)
    _system_intents(document, expected)
    model = InteractionModel(
        name=document.text("name", Path(path).stem),
        description=document.text("description"),
        roles=_roles(document),
        meanings=meanings,
        expected=expected,
        elicit=document.texts(_ELICIT),
        retrieve=document.texts(_RETRIEVE),
        inquire=_inquire(document, expected),
    )
    return document.finish(model)


def _roles(document: Document) -> dict[str, str]:
    found = document.table("required_intents")
    if not found:
        document.leave("required_intents", "is missing; what intents mean is taken from their names")
    roles = {}
    for key, intent in found.items():
        if key not in ROLES:
            document.leave(f"required_intents.{key}", f"no such role here; known: {', '.join(ROLES)}")
        elif intent is None:
            document.leave(
                f"required_intents.{key}", f"is empty, so no intent of theirs stands for {ROLES[key]}"
            )
        elif not isinstance(intent, str):
            raise document.wrong(f"required_intents.{key}", intent, "an intent")
        else:
            roles[ROLES[key]] = intent
    return roles


def _user_intents(
    document: Document, user: Mapping[Any, Any]
) -> tuple[dict[str, tuple[str, ...]], dict[str, str]]:
    """Read each user intent's expected system intents, and the meaning of intents that depend on a preference."""
    expected: dict[str, tuple[str, ...]] = {}
    meanings: dict[str, str] = {}
    for name, how in user.items():
        key = f"user_intents.{name}"
        if how is None or isinstance(how, list):
            expected.update(dict.fromkeys((str(name), *document.string_list(key, how)), ()))
            continue
        if not isinstance(how, dict):
            raise document.wrong(key, how, "a table")
        expected[str(name)] = document.string_list(
            f"{key}.expected_agent_intents", how.get("expected_agent_intents")
        )
        for inner, value in how.items():
            if inner == "preference_contingent" and isinstance(value, str) and value in _CONTINGENT:
                meanings[str(name)] = _CONTINGENT[value]
            elif inner == "remove_user_preference":
                document.leave(f"{key}.{inner}", "users here do not unlearn a preference")
            elif inner != "expected_agent_intents":
                document.leave(f"{key}.{inner}", "there is no such thing here")
    return expected, meanings


def _system_intents(document: Document, expected: dict[str, tuple[str, ...]]) -> None:
    """Add the expected responses that CIR6 lists separately, and note intents that are not declared."""
    declared = [
        name
        for top, below in document.table("agent_intents").items()
        for name in (top, *document.string_list(f"agent_intents.{top}", below))
    ]
    for name, answers in document.table("expected_responses").items():
        expected[name] = (
            *expected.get(name, ()),
            *document.string_list(f"expected_responses.{name}", answers),
        )
    for name in dict.fromkeys(answer for answers in expected.values() for answer in answers):
        if declared and not _matches(name, declared):
            document.leave(f"agent_intents.{name}", "is expected but not declared; taken over as expected")


def _inquire(document: Document, expected: Mapping[str, Any]) -> tuple[str, ...]:
    """List the system intents that offer more information, without user intents and intents that elicit."""
    elicit = document.texts(_ELICIT)
    answers = {name for names in expected.values() for name in names}
    kept = []
    for name in document.texts(_INQUIRE):
        if _matches(name, elicit):
            document.leave(
                f"{_INQUIRE}.{name}", "asks for a preference already; it cannot offer to tell more as well"
            )
        elif name in expected and name not in answers:
            document.leave(f"{_INQUIRE}.{name}", "is an intent of the user, not of the system")
        else:
            kept.append(name)
    return tuple(kept)
