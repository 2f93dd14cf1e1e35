"""Interaction models of UserSimCRS."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from openiir.plugin import InputError
from openiir.scenarios.conversational.model.formats import (
    ImportedConfig,
    InteractionModel,
    read_interaction_model,
)

DATA = os.environ.get("OPENIIR_DATA")
needs_data = pytest.mark.skipif(
    not DATA, reason="OPENIIR_DATA is not set: the published configurations are not here"
)

Write = Callable[[str], Path]


@pytest.fixture
def file(tmp_path: Path) -> Write:
    def write(text: str) -> Path:
        (tmp_path / "file.yaml").write_text(text, "utf-8")
        return tmp_path / "file.yaml"

    return write


def there(name: str) -> Path:
    path = Path(DATA or "") / "crs" / "usersimcrs_configs" / name
    if not path.is_file():
        pytest.skip(f"{path} is not here")
    return path


def left(found: ImportedConfig) -> list[str]:
    return [one.key for one in found.left_out]


def test_yes_and_no_are_texts(file: Write) -> None:
    text = "user_intents: {YES: {expected_agent_intents: [No, off]}, 1: }"
    assert read_interaction_model(file(text)).value.expected == {"YES": ("No", "off"), "1": ()}


def test_a_key_that_stands_twice(file: Write) -> None:
    text = "user_intents:\n  A: [B]\n  A: [{}]\n"
    assert read_interaction_model(file(text.format("B"))).value.expected == {"A": (), "B": ()}
    with pytest.raises(InputError, match="line 3: the key A has two values"):
        read_interaction_model(file(text.format("C")))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [", "line 1: .*; mend that line"),
        ("", "holds no keys"),
        ("- a", "holds no keys"),
        ("a: *b", "line 1: found undefined alias"),
        ("\x07", "no YAML"),
        ("[" * 1200, "no YAML"),
    ],
)
def test_what_is_no_table_is_refused(text: str, said: str, file: Write) -> None:
    with pytest.raises(InputError, match=said):
        read_interaction_model(file(text))


MODEL = """
name: small
required_intents: {INTENT_LIKE: YEAH, INTENT_START: , INTENT_DANCE: D, INTENT_NO: NO}
user_intents:
  WANT: {expected_agent_intents: [ASK.GENRE, SHOW], remove_user_preference: true}
  YEAH: {preference_contingent: POSITIVE, mood: glad}
  NOPE: {preference_contingent: NEGATIVE}
agent_elicit_intents: [ASK, ASK.*]
agent_set_retrieval: [SHOW]
agent_inquire_intents: [ASK.GENRE, WANT, MORE]
REWARD: {cost: 1}
colour: blue
"""


def test_a_model_in_our_terms(file: Write) -> None:
    found = read_interaction_model(file(MODEL))
    model = found.value
    assert (model.roles, model.meanings) == (
        {"LIKE": "YEAH", "NO": "NO"},
        {"YEAH": "LIKE", "NOPE": "DISLIKE"},
    )
    assert model.inquire == ("MORE",)
    assert [model.system_intent(name) for name in ("ASK.YEAR", "ASK", "ASKED", "SHOW", "MORE")] == [
        "ELICIT",
        "ELICIT",
        "OTHER",
        "RECOMMEND",
        "OFFER",
    ]
    assert "SHOW" in model.expected["WANT"] and "MORE" not in model.expected["WANT"]
    assert left(found) == [
        "REWARD.cost",
        "user_intents.WANT.remove_user_preference",
        "user_intents.YEAH.mood",
        "required_intents.INTENT_START",
        "required_intents.INTENT_DANCE",
        "agent_inquire_intents.ASK.GENRE",
        "agent_inquire_intents.WANT",
        "colour",
    ]
    scheme = model.scheme()
    assert [scheme.ours("user", name) for name in ("YEAH", "NOPE", "WANT", "NO")] == [
        "LIKE",
        "DISLIKE",
        "OTHER",
        "NO",
    ]
    assert (scheme.theirs("user", "LIKE"), scheme.theirs("user", "BYE")) == ("YEAH", None)
    assert (scheme.ours("system", "ASK.GENRE"), scheme.ours("system", "MORE")) == ("ELICIT", "OFFER")


def test_wildcards_of_system_intents() -> None:
    model = InteractionModel(name="m", expected={"A": ("X.*", "Y")}, elicit=("X.*", "Y"))
    assert [model.system_intent(name) for name in ("X.1", "X", "Y", "Y.1")] == [
        "ELICIT",
        "OTHER",
        "ELICIT",
        "OTHER",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name: QRFA", "declares no user_intents"),
        ("user_intents: [A]", "declares no user_intents"),
        ("user_intents: {A: 3}", "user_intents.A.below: .* valid tuple"),
        ("user_intents: {A: {expected_agent_intents: B}}", "A.expected_agent_intents: .* valid tuple"),
        ("user_intents: {A: }\nagent_elicit_intents: [[1]]", "agent_elicit_intents.0: .* valid string"),
        ("user_intents: {A: }\nrequired_intents: {INTENT_LIKE: [A]}", "INTENT_LIKE: .* valid string"),
        ("user_intents: {A: }\nREWARD: 3", "REWARD: .* valid dictionary"),
    ],
)
def test_broken_models_are_refused_by_key(text: str, said: str, file: Write) -> None:
    with pytest.raises(InputError, match=said):
        read_interaction_model(file(text))


@needs_data
@pytest.mark.parametrize(
    ("name", "user", "roles", "left_out"),
    [("crs_v1", 16, 11, 7), ("inspired_v1", 12, 11, 2), ("redial_v1", 16, 10, 3), ("cir6", 23, 0, 4)],
)
def test_published_models_are_read(name: str, user: int, roles: int, left_out: int) -> None:
    found = read_interaction_model(there(f"interaction_models/{name}.yaml"))
    assert (len(found.value.expected), len(found.value.roles), len(found.left_out)) == (user, roles, left_out)
    scheme = found.value.scheme()
    for ours, theirs in found.value.roles.items():
        assert scheme.theirs("user", ours) == theirs


@needs_data
def test_published_models_mean_what_their_makers_say() -> None:
    redial = read_interaction_model(there("interaction_models/redial_v1.yaml"))
    assert "agent_inquire_intents.INQ" in left(redial) and "required_intents.INTENT_START" in left(redial)
    assert (redial.value.roles["YES"], redial.value.scheme().ours("user", "CRI-F")) == ("YES", "CRITIQUE")
    cir6 = read_interaction_model(there("interaction_models/cir6.yaml")).value
    assert "TRAVERSE.*" in cir6.expected["NAVIGATE.MORE"] or "TRAVERSE.MORE" in cir6.expected["NAVIGATE.MORE"]
    assert (cir6.system_intent("INQUIRE.CLARIFY"), cir6.system_intent("TRAVERSE.BACK")) == (
        "ELICIT",
        "RECOMMEND",
    )
    crs = read_interaction_model(there("interaction_models/crs_v1.yaml")).value
    assert (crs.system_intent("REVEAL.NONE"), crs.inquire) == (
        "NOTHING_FOUND",
        ("INQUIRE.MORE", "INQUIRE.NEXT"),
    )
    with pytest.raises(InputError, match="qrfa.yaml declares no user_intents"):
        read_interaction_model(there("interaction_models/qrfa.yaml"))
