"""Entries say who answered where that differs, what was repaired or missing, and how a shadow differs."""

from typing import Any

import pytest

from openiir.core.hashing import canonical, sha256
from openiir.core.records import Call, Persona, Place
from openiir.core.storage import Log, RunFile, StepRows
from openiir.plugin import AnswerNotes, names_with_answerers
from openiir.plugin.answer_notes import answer_summary

STUDY = {"type": "none", "name": "a study", "seed": 3, "config": {}, "model": {"name": "tern-7b"}}


def asked(who: str, kind: str, answerer: str | None, **more: Any) -> tuple[str, str, str, str]:
    payload = {
        "question": kind,
        "subject": "",
        "ordinal": 0,
        "outcome": "answered",
        "debit": 0,
        "answerer": answerer,
        "attempts": 1,
    }
    if answerer is None:
        del payload["answerer"], payload["attempts"]
    return ("main", "asked", who, canonical(payload | more))


def shadow(who: str, acted: Any, other: Any) -> tuple[str, str, str, str]:
    payload = {
        "question": "speak",
        "subject": "",
        "ordinal": 0,
        "compared": {"stance": "choice", "cites": "set"},
    }
    return (
        "main",
        "shadow",
        who,
        canonical(payload | {"shadow": "offline", "reply": acted, "shadow_reply": other}),
    )


def said(who: str) -> tuple[str, str, str, str]:
    return ("main", "said", who, "{}")


STEPS = (
    (
        asked("chair", "pick", "offline"),
        asked("ada", "look", "model"),
        asked("ada", "speak", "model", attempts=2),
        asked("ben", "speak", "offline"),
        shadow(
            "ada",
            {"stance": "for", "cites": [1, 2], "why": "a"},
            {"stance": "against", "cites": [], "why": "b"},
        ),
        shadow("ben", {"stance": "for", "cites": [], "why": "a"}, {"stance": "for", "cites": [], "why": "b"}),
        said("ben"),
        said("ada"),
    ),
    (
        asked("ada", "speak", "model", outcome="failed", attempts=2, failure="it ends too early"),
        said("ada"),
        said("ada"),
    ),
    (asked("ada", "speak", None, outcome="exhausted"), said("ada"), asked("ada", "look", "model")),
)


@pytest.fixture
def log(tmp_path):
    with RunFile.create(tmp_path / "run", scratch=True) as run:
        run.declare(
            STUDY, [Persona(id=name, name=name.title(), bio="A person.") for name in ("ada", "ben")], [], {}
        )
        place = Place(lane="main", asker="ada", kind="speak", subject="", step=1, ordinal=0)
        request = canonical({"messages": []})
        call = {
            "place": place,
            "attempt": 0,
            "answerer": "model",
            "prompt_hash": sha256(request),
            "request": request,
        }
        run.record_call(Call(**call, reply="well", usable=False, error="it contains no JSON object"))
        for number, events in enumerate(STEPS, 1):
            run.commit_step(StepRows(number, label="", events=list(events)))
        yield Log(run)


SAID = [
    ("answered offline",),
    (
        "answered by tern-7b",
        "repaired (speak): it contains no JSON object",
        "cites: 1, 2; shadow (offline): none",
        "stance: for; shadow (offline): against",
    ),
    ("answered by tern-7b", "no usable answer (speak): it ends too early"),
    (),
    (),
]


@pytest.mark.parametrize(("since", "agent"), [(0, None), (0, "ada"), (1, None)])
def test_an_entry_has_what_its_actor_was_asked_since_the_one_before(log, since, agent):
    notes, events = AnswerNotes(log, since), list(log.events("said"))
    narrowed = [
        (words, e)
        for words, e in zip(SAID, events, strict=True)
        if e.step > since and agent in (None, e.actor)
    ]
    assert [notes.of(event) for _, event in narrowed] == [words for words, _ in narrowed]


def test_one_line_says_who_answered_in_a_run_and_names_tell_personas_apart(log):
    assert (
        answer_summary(log)
        == "answered by tern-7b; offline: pick, speak; 1 repaired; 1 without a usable answer"
    )
    assert names_with_answerers(log) == {"ada": "Ada (tern-7b)", "ben": "Ben (offline)"}


def test_nothing_is_said_before_anybody_was_asked(log):
    begun = Log(log._run, until=0)
    assert answer_summary(begun) == "" and names_with_answerers(begun) == {"ada": "Ada", "ben": "Ben"}
