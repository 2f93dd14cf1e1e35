"""Whatever is wrong with a file, it is read or refused as the user's mistake."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from openiir.plugin import InputError
from openiir.scenarios.conversational.model.formats.crsarena import read_crsarena_eval
from openiir.scenarios.conversational.model.formats.dialoguekit import read_dialogues
from openiir.scenarios.conversational.model.formats.iard import read_iard
from openiir.scenarios.conversational.model.formats.inspired import read_inspired
from openiir.scenarios.conversational.model.formats.interaction import read_interaction_model
from openiir.scenarios.conversational.model.formats.redial import read_redial

SAID = {
    "participant": "USER",
    "utterance": "a",
    "dialogue_acts": [{"intent": "A", "slot_values": [["S", "v", 0, 1]]}],
}
NEED = {"constraints": {"a": ["b"]}, "requests": ["c"], "target_items": ["d"]}
WHOLE: dict[str, tuple[Callable[[Path], Any], Any]] = {
    "dialoguekit": (
        read_dialogues,
        [
            {
                "conversation_id": "1",
                "agent": {"id": "a", "type": "AGENT"},
                "metadata": {"information_need": NEED},
                "conversation": [SAID],
            }
        ],
    ),
    "iard": (
        read_iard,
        {
            "1": {
                "accepted_recommendation": [1],
                "dialogue_info": {
                    "S1": {
                        "utterance_pos": 1,
                        "worker_id": 1,
                        "role": "seeker",
                        "utterance_text": "@1 <a>",
                        "top-level intent/action": ["A"],
                        "sub-intent/action": ["B"],
                    }
                },
            }
        },
    ),
    "redial": (
        read_redial,
        {
            "conversationId": "1",
            "initiatorWorkerId": 0,
            "respondentWorkerId": 1,
            "movieMentions": {"1": "a"},
            "initiatorQuestions": {"1": {"seen": 1}},
            "messages": [{"senderWorkerId": 0, "text": "@1"}],
        },
    ),
    "crsarena": (
        read_crsarena_eval,
        [
            {
                "conv_id": "a_b",
                "dialogue": [{"role": "ASST", "utterance": "a", "turn_level_aggregated": {"relevance": 1}}],
                "dial_level_aggregated": {"efficiency": 1},
            }
        ],
    ),
    "model": (
        read_interaction_model,
        {
            "name": "a",
            "required_intents": {"INTENT_LIKE": "A"},
            "user_intents": {
                "A": {"expected_agent_intents": ["B"], "preference_contingent": "POSITIVE"},
                "C": ["D"],
            },
            "agent_intents": {"B": ["E"]},
            "expected_responses": {"A": ["B"]},
            "agent_elicit_intents": ["B"],
            "agent_inquire_intents": ["A"],
            "REWARD": {"cost": 1},
        },
    ),
}


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every part of a value, itself included."""
    yield at
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inner:
        yield from places(part, (*at, key))


def with_in_its_place(value: Any, at: tuple[Any, ...], new: Any) -> Any:
    """The value with another part there."""
    if not at:
        return new
    changed = value.copy()
    changed[at[0]] = with_in_its_place(value[at[0]], at[1:], new)
    return changed


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize(
    "new",
    [None, True, -1, 2.5, "", "x", [], [[]], {}, {"x": 1}, [None], ["x" * 3000]],
    ids=lambda new: str(new)[:9],
)
def test_any_part_may_be_anything(name: str, new: Any, tmp_path: Path) -> None:
    read, whole = WHOLE[name]
    path = tmp_path / "file"
    refused = 0
    for at in places(whole):
        document = with_in_its_place(whole, at, new)
        path.write_text(
            yaml.safe_dump(document) if name in ("model", "domain", "items") else json.dumps(document),
            "utf-8",
        )
        try:
            read(path)
        except InputError as error:
            refused += 1
            assert str(path) in str(error) and len(str(error)) < 1000
    assert refused < len(list(places(whole)))


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.lists(
            st.sampled_from(["d", "SEEKER", "{'a': 0}", "{", "nan", "QUOTATION_MARK", ""]),
            min_size=4,
            max_size=5,
        ),
        max_size=4,
    )
)
def test_any_rows_of_inspired(tmp_path: Path, rows: list[list[str]]) -> None:
    names = ["dialog_id", "speaker", "text", "movie_dict"]
    (tmp_path / "file").write_text("\n".join("\t".join(row) for row in [names, *rows]), "utf-8")
    try:
        found = read_inspired(tmp_path / "file", merge=True)
    except InputError as error:
        assert "row " in str(error)
    else:
        assert not any(
            "QUOTATION_MARK" in said.text for dialogue in found.dialogues for said in dialogue.utterances
        )
