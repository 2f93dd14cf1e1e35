from itertools import product

import pytest
from pydantic import ValidationError

from openiir.core.asking import AnswererChoice


@pytest.mark.parametrize(("both", "persona", "kind"), list(product([True, False], repeat=3)))
def test_the_most_specific_choice_wins(both: bool, persona: bool, kind: bool) -> None:
    """A persona's kind, the persona, the kind, the run: a table of the first that is set in each case."""
    named: dict[str, str | dict[str, str]] = {}
    if persona:
        named["ada"] = "human"
    if both:
        named["ada"] = {"panel.speak": "system:desk"}
    choice = AnswererChoice(default="recording", kind={"panel.speak": "model"} if kind else {}, persona=named)
    expected = "system:desk" if both else "human" if persona else "model" if kind else "recording"
    assert choice.of("ada", "panel.speak") == expected
    assert choice.of("ben", "panel.speak") == ("model" if kind else "recording")
    assert choice.of("ada", "panel.look-up") == ("human" if persona and not both else "recording")


def test_every_answerer_that_may_be_met_is_known_beforehand() -> None:
    choice = AnswererChoice(
        default="offline",
        shadow="model",
        kind={"a": "system:x"},
        persona={"p": "human", "q": {"b": "recording"}},
    )
    assert choice.names() == ["human", "model", "offline", "recording", "system:x"]
    assert list(choice.persona) == ["p", "q"]
    assert AnswererChoice().names() == ["offline"]


@pytest.mark.parametrize("name", ["modle", "system", "system:", "model:x", ""])
@pytest.mark.parametrize("place", ["default", "shadow", "kind", "persona", "both"])
def test_unknown_answerers_are_refused_wherever_they_stand(name: str, place: str) -> None:
    values = {
        "default": {"default": name},
        "shadow": {"shadow": name},
        "kind": {"kind": {"a": name}},
        "persona": {"persona": {"p": name}},
        "both": {"persona": {"p": {"a": name}}},
    }
    with pytest.raises(ValidationError, match="no answerer is called"):
        AnswererChoice.model_validate(values[place])


def test_a_misspelt_answerer_is_offered_the_right_one() -> None:
    with pytest.raises(ValidationError, match="did you mean 'model'"):
        AnswererChoice(default="modle")
