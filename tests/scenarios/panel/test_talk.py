"""Who speaks to what: turn-taking, what is open, and a talk over the reference study."""

from collections import Counter
from collections.abc import Callable
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
from openiir.scenarios.panel.moderating import Member, OpenClaim, SpeakerNext, Turn
from openiir.scenarios.panel.questions import LookUp

DRAW = Draw(1, "test")


def member(name: str, **changes: Any) -> Member:
    base = Member(id=name, name=name.title(), spoken=1, waited=2, leans=0.0, expertise=0.2, extraversion=0.5, addressed=False)
    return base.model_copy(update=changes)


def claim(name: str, by: str, stance: float = 0.5, to: str = "") -> OpenClaim:
    return OpenClaim(
        id=name, text="Text.", speaker=by.title(), speaker_id=by, stance=stance, strength=0.5, cited=True, to=to
    )


def question(**changes: Any) -> SpeakerNext:
    base = SpeakerNext(
        topic="T", round="r", goal="g", turn=1, cap=9, members=(member("ann"), member("bob"), member("cy")), seats=3,
        turns_so_far=3, claims=(claim("k001", "ann"), claim("k002", "bob", -0.5)), last_stances=(), reached="",
        last_round=False,
    )  # fmt: skip
    return replace(base, **changes)


def test_the_addressed_party_speaks_next_to_what_was_put_to_them() -> None:
    people = (member("ann"), member("bob", addressed=True), member("cy"))
    claims = (claim("k001", "ann"), claim("k003", "cy", to="bob"))
    assert question(members=people, claims=claims).offline(DRAW) == Turn(action="next", persona="bob", address="k003")


def test_who_spoke_least_and_waited_longest_is_preferred() -> None:
    people = (member("ann", spoken=9), member("bob", spoken=1, waited=9), member("cy", spoken=5))
    assert question(members=people, turns_so_far=15).offline(DRAW).persona == "bob"


def test_a_claim_that_leans_the_other_way_comes_first_and_never_ones_own() -> None:
    assert question(members=(member("cy", leans=0.6),)).offline(DRAW).address == "k002"
    assert question(members=(member("cy", leans=-0.6),)).offline(DRAW).address == "k001"
    assert question(members=(member("bob", leans=0.6),)).offline(DRAW).address == "k001"


def test_ties_go_by_id() -> None:
    assert question().offline(DRAW).persona == "ann"


def test_a_round_that_reached_its_goal_is_closed_and_the_last_one_ends_the_panel() -> None:
    assert question(reached="everyone spoke").offline(DRAW).action == "advance"
    assert question(reached="everyone spoke", last_round=True).offline(DRAW).action == "end"
    assert question(members=()).offline(DRAW).action == "end"


def test_a_speaker_or_claim_that_was_not_offered_is_refused_with_those_that_were() -> None:
    with pytest.raises(UnusableAnswer, match="ann, bob, cy"):
        read('{"action": "next", "persona": "dan"}', question())
    with pytest.raises(UnusableAnswer, match="k001, k002"):
        read('{"action": "next", "persona": "ann", "address": "k009"}', question())
    with pytest.raises(UnusableAnswer, match="needs the id"):
        question().check(Turn(action="next"))


def test_a_round_in_which_nobody_spoke_is_not_closed() -> None:
    with pytest.raises(UnusableAnswer, match="nobody has spoken"):
        question(turn=1).check(Turn(action="advance"))
    question(turn=2).check(Turn(action="advance"))
    question(turn=1, reached="every token budget is spent").check(Turn(action="advance"))


def test_the_moderators_prompt_shows_what_the_offline_answer_reads() -> None:
    people = (member("ann", spoken=7, waited=8, leans=0.37, expertise=0.21, extraversion=0.93, addressed=True),)
    prompt = question(
        members=people, seats=13, turns_so_far=17, last_stances=(0.44,), reached="why", last_round=True,
        claims=(claim("k005", "bob", to="ann"),),
    ).prompt()  # fmt: skip
    for part in ("ann", "7 times", "8 turns", "+0.37", "0.21", "0.93", "addressed", "13", "17", "+0.44", "why", "last round",
                 "k005", "id bob", "said to ann", "stance +0.50"):  # fmt: skip
        assert part in prompt, part


def test_a_citation_spans_all_that_was_quoted() -> None:
    text = "Owls hunt at night in old barns. Mice hide in winter straw. Cats sleep on warm ovens all day."
    passage = Passage(id="c0001", text=text)
    (one,) = citations((passage,), ("c0001",), "Mice hide in winter straw [c0001].")
    assert text[one.start : one.end] == "Mice hide in winter straw."
    (two,) = citations((passage,), ("c0001",), "Owls hunt at night in old barns [c0001]. Mice hide in winter straw [c0001].")
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
        return Turn(action="end") if self.turn == 3 else usual(self, draw)

    monkeypatch.setattr(SpeakerNext, "offline", impatient)
    sit(Path("panel"), tmp_path / "run")
    with RunFile.open(tmp_path / "run") as run:
        closed = [c for _, c in RoundClosed.read(Log(run))]
        assert [(c.name, c.turns, c.reason) for c in closed] == [("opening", 2, "the moderator ended the panel")]


@pytest.mark.parametrize(
    ("coverage", "searches", "claim", "action"),
    [(0.29, 1, "k001", "search"), (0.3, 1, "k001", "keyword"), (0.29, 0, "k001", "keyword"), (0.29, 1, "", "keyword")],
)
def test_the_web_is_searched_for_a_claim_that_the_corpus_covers_below_three_tenths(
    coverage: float, searches: int, claim: str, action: str
) -> None:
    """The threshold of MODELS 2.1, D2; `coverage` is the best normalised lexical score."""
    asked = LookUp("T", "A matter.", claim, ("cost", "noise"), coverage, searches)
    found = asked.offline(DRAW)
    assert (found.action, found.query) == (action, "cost noise")
    assert replace(asked, terms=()).offline(DRAW).action in ("none", "search")
