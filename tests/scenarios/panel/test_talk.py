"""Who speaks to what: turn-taking, what is open, and a talk over the reference study."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from openiir.core.asking import read
from openiir.core.storage import Log, RunFile
from openiir.kit.quoting.passages import Passage
from openiir.plugin import Draw, UnusableAnswer
from openiir.plugin.arguments import tokens
from openiir.scenarios.panel.actions import RoundClosed, Spoke
from openiir.scenarios.panel.looking import citations
from openiir.scenarios.panel.moderating import (
    Candidate,
    Member,
    ModerateDispositions,
    ModerateFacts,
    OpenClaim,
    SpeakerNext,
    Spoken,
    Turn,
    spoke_words,
)
from openiir.scenarios.panel.preparing import LookUp, LookUpDispositions, LookUpFacts
from openiir.scenarios.panel.prompting import Point

DRAW = Draw(1, "test")


def claim(name: str, by: str, stance: float = 0.5, to: str = "") -> OpenClaim:
    return OpenClaim(
        id=name,
        text=f"Text of {name}.",
        speaker=by.title(),
        speaker_id=by,
        stance=stance,
        strength=0.5,
        cited=True,
        to=to,
    )


def question(
    people: Sequence[dict[str, Any]] = ({"id": "ann"}, {"id": "bob"}, {"id": "cy"}),
    claims: Sequence[OpenClaim] = (claim("k001", "ann"), claim("k002", "bob", -0.5)),
    turns_so_far: int = 3,
    **changes: Any,
) -> SpeakerNext:
    members, candidates = [], []
    for one in people:
        given = {
            "spoken": 1,
            "waited": 3,
            "leans": 0.0,
            "expertise": 0.2,
            "extraversion": 0.5,
            "addressed": False,
            **one,
        }
        spoken, waited = given["spoken"], given["waited"]
        given["waited"] -= 1
        members.append(Member(**given))
        name = given["id"].title()
        candidates.append(
            Candidate(
                name,
                "runs trams.",
                "in favour",
                spoke_words(spoken, waited, False),
                "Ann" if given["addressed"] else "",
            )
        )
    facts = ModerateFacts(
        topic="T", seats=3, round="r", goal="g", turn=2, cap=9, last=(Spoken("Ann", "Words.", "against", "Bob"),),
        candidates=tuple(candidates), points=tuple(Point(c.speaker, c.text) for c in claims), reached="", may_close=True,
        last_round=False,
    )  # fmt: skip
    by = ModerateDispositions(tuple(members), tuple(claims), turns_so_far, ())
    return SpeakerNext(replace(facts, **changes), by)


def test_the_addressed_party_speaks_next_to_what_was_put_to_them() -> None:
    people = ({"id": "ann"}, {"id": "bob", "addressed": True}, {"id": "cy"})
    claims = (claim("k001", "ann"), claim("k003", "cy", to="bob"))
    assert question(people, claims).offline(DRAW) == Turn(do="next", speaker=2, point=2)


def test_who_spoke_least_and_waited_longest_is_preferred() -> None:
    people = ({"id": "ann", "spoken": 9}, {"id": "bob", "waited": 10}, {"id": "cy", "spoken": 5})
    assert question(people, turns_so_far=15).offline(DRAW).speaker == 2


def test_a_claim_that_leans_the_other_way_comes_first_and_never_ones_own() -> None:
    assert question([{"id": "cy", "leans": 0.6}]).offline(DRAW).point == 2
    assert question([{"id": "cy", "leans": -0.6}]).offline(DRAW).point == 1
    assert question([{"id": "bob", "leans": 0.6}]).offline(DRAW).point == 1


def test_ties_go_by_id() -> None:
    assert question([{"id": "bob"}, {"id": "ann"}]).offline(DRAW).speaker == 2


def test_a_round_that_reached_its_goal_is_closed_and_the_last_one_ends_the_panel() -> None:
    assert question(reached="everyone spoke").offline(DRAW).do == "close the round"
    assert question(reached="everyone spoke", last_round=True).offline(DRAW).do == "close the panel"
    assert question((), candidates=()).offline(DRAW).do == "close the round"


def test_a_speaker_or_point_that_was_not_offered_is_refused_with_those_that_were() -> None:
    with pytest.raises(UnusableAnswer, match="1, 2, 3"):
        read('{"do": "next", "speaker": 4}', question())
    with pytest.raises(UnusableAnswer, match="0, 1, 2"):
        read('{"do": "next", "speaker": 1, "point": 9}', question())
    with pytest.raises(UnusableAnswer, match="needs a speaker"):
        read('{"do": "next"}', question())
    assert read('{"do": "Next", "speaker": "2", "point": null}'.replace("null", "0"), question()).speaker == 2


def test_a_round_is_not_closed_before_everybody_had_a_first_word() -> None:
    with pytest.raises(UnusableAnswer, match="choose from: next"):
        read('{"do": "close the round"}', question(may_close=False))
    for open_ in ({}, {"may_close": False, "reached": "every token budget is spent"}):
        assert read('{"do": "close the round"}', question(**open_)).do == "close the round"


def test_a_moderator_is_told_what_was_said_and_who_can_speak() -> None:
    people = ({"id": "ann", "spoken": 7, "waited": 8, "addressed": True}, {"id": "bob", "spoken": 0})
    prompt = question(people, reached="why", last_round=True).facts.prompt()
    for part in ('Ann (against), answering Bob: "Words."', "1. Ann runs trams. In favour. Spoke 7 times in the whole panel, last 8 turns ago, and not yet in this round.",
                 "Ann has just answered them", "2. Bob runs trams. In favour. Has not spoken yet.", "1. Ann: \"Text of k001.\"",
                 "(why), so you may close the panel"):  # fmt: skip
        assert part in prompt, part


def test_a_citation_spans_all_that_was_quoted() -> None:
    text = "Owls hunt at night in old barns. Mice hide in winter straw. Cats sleep on warm ovens all day."
    passage = Passage(id="c0001", text=text)
    (one,) = citations((passage,), ("c0001",), "Mice hide in winter straw [c0001].")
    assert text[one.start : one.end] == "Mice hide in winter straw."
    (two,) = citations(
        (passage,), ("c0001",), "Owls hunt at night in old barns [c0001]. Mice hide in winter straw [c0001]."
    )
    assert text[two.start : two.end].endswith("winter straw.") and two.start == 0


def test_every_kind_of_relation_occurs_over_a_few_seeds(run_panel: Callable[..., Log]) -> None:
    kinds: Counter[str] = Counter()
    acts: Counter[str] = Counter()
    for seed in (7, 1, 2):
        log = run_panel(f"seed={seed}")
        kinds.update(edge.type for edge in log.edges())
        acts.update(spoke.act for _, spoke in Spoke.read(log))
    assert set(kinds) == {"supports", "counters", "refines", "questions"}
    assert set(acts) == {"assert", "support", "counter", "refine", "question", "concede"}


def test_counters_lean_against_what_they_answer_and_share_words_with_it(log: Log) -> None:
    claims = {c.id: c for c in log.claims()}
    seen = 0
    for _, spoke in Spoke.read(log):
        if spoke.act == "counter":
            seen += 1
            target = claims[spoke.address]
            first = claims[spoke.claims[0]]
            assert first.stance * target.stance < 0
            assert set(tokens(first.text)) & set(tokens(target.text))
    assert seen


def test_neighbours_never_open_alike_and_nobody_speaks_twice_running(log: Log) -> None:
    spoken = [(event.actor, spoke) for event, spoke in Spoke.read(log)]
    for (one, before), (other, after) in zip(spoken, spoken[1:], strict=False):
        assert one != other
        assert before.text.split()[:4] != after.text.split()[:4]
    assert len({spoke.text for _, spoke in spoken}) == len(spoken)


def test_two_panelists_do_not_keep_the_floor_between_them(log: Log) -> None:
    order = [event.actor for event, _ in Spoke.read(log)]
    for n in range(len(order) - 4):
        assert len(set(order[n : n + 5])) > 2


def test_claims_are_quotes_or_questions_never_the_panels_own_words(log: Log) -> None:
    corpus = [" ".join(chunk.text.split()) for chunk in log.chunks()]
    for c in log.claims():
        words = c.text.rstrip(".!").split()
        tail = " ".join(words[-4:])
        assert c.text.endswith("?") or any(tail in text for text in corpus), c.text


def test_a_moderator_who_ends_the_panel_ends_it(
    sit: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = SpeakerNext.offline

    def impatient(self: SpeakerNext, draw: Draw) -> Turn:
        return Turn(do="close the panel") if self.facts.turn == 3 else usual(self, draw)

    monkeypatch.setattr(SpeakerNext, "offline", impatient)
    sit(Path("panel"), tmp_path / "run")
    with RunFile.open(tmp_path / "run") as run:
        closed = [c for _, c in RoundClosed.read(Log(run))]
        assert [(c.name, c.turns, c.reason) for c in closed] == [
            ("opening", 2, "the moderator ended the panel")
        ]


@pytest.mark.parametrize(
    ("coverage", "searches", "claim", "where"),
    [
        (0.29, 1, "k001", "web"),
        (0.3, 1, "k001", "articles"),
        (0.29, 0, "k001", "articles"),
        (0.29, 1, "", "articles"),
    ],
)
def test_the_web_is_searched_for_a_claim_that_the_corpus_covers_below_three_tenths(
    coverage: float, searches: int, claim: str, where: str
) -> None:
    """The threshold of MODELS 2.1, D2; `coverage` is the best normalised lexical score."""
    asked = LookUp(
        LookUpFacts("T", "A matter.", True, searches), LookUpDispositions(("cost", "noise"), coverage, claim)
    )
    found = asked.offline(DRAW)
    assert (found.where, found.query) == (where, "cost noise")
    assert replace(asked, dispositions=replace(asked.dispositions, terms=())).offline(DRAW).where in (
        "nowhere",
        "web",
    )
