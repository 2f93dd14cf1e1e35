"""Who speaks to what: turn-taking, what is open, and a talk over the reference study."""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from openiir.core.asking import question_schema, read_reply
from openiir.core.personas import load_personas, save_personas
from openiir.core.storage import Log, RunFile
from openiir.kit.offline_speaker.passages import Passage
from openiir.plugin import Claim, Draw, Edge, UnusableAnswer
from openiir.plugin.arguments import tokens
from openiir.scenarios.panel import Panel
from openiir.scenarios.panel.behaviour.arguments import ArgumentState
from openiir.scenarios.panel.behaviour.floor import TurnTaking
from openiir.scenarios.panel.model.speaking.citations import cite
from openiir.scenarios.panel.questions.lookup import (
    LookUp,
    LookUpReply,
    SearchWeb,
    WebSearchReply,
)
from openiir.scenarios.panel.questions.moderating import (
    CandidateFeatures,
    HeardTurn,
    Moderate,
    ModeratorDecision,
    OpenClaim,
    SpeakerCandidate,
    first_clause,
    speaking_history,
)
from openiir.scenarios.panel.questions.prompt_parts import PanelPoint
from openiir.scenarios.panel.run.actions import RoundClosed, Spoke
from openiir.scenarios.panel.run.lookup import fetch_passages
from openiir.scenarios.panel.run.talk import _moderate

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
) -> Moderate:
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
        members.append(CandidateFeatures(**given))
        name = given["id"].title()
        candidates.append(
            SpeakerCandidate(
                name,
                f"{name} runs trams.",
                "in favour",
                speaking_history(spoken, waited, False),
                "Ann" if given["addressed"] else "",
            )
        )
    asked = Moderate(
        topic="T",
        seats=3,
        round="r",
        goal="g",
        turn=2,
        cap=9,
        last=(HeardTurn("Ann", "Words.", "against", "Bob"),),
        candidates=tuple(candidates),
        spent=(),
        points=tuple(PanelPoint(c.speaker, c.text) for c in claims),
        reached="",
        may_close=True,
        last_round=False,
        members=tuple(members),
        claims=tuple(claims),
        turns_so_far=turns_so_far,
        last_stances=(),
    )
    return replace(asked, **changes)


def test_the_addressed_party_speaks_next_to_what_was_put_to_them() -> None:
    people = ({"id": "ann"}, {"id": "bob", "addressed": True}, {"id": "cy"})
    claims = (claim("k001", "ann"), claim("k003", "cy", to="bob"))
    assert question(people, claims).offline(DRAW) == ModeratorDecision(do="next", speaker=2, point=2)


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
    with pytest.raises(UnusableAnswer, match="0, 1, 2, 3"):
        read_reply('{"do": "next", "speaker": 4}', question())
    with pytest.raises(UnusableAnswer, match="0, 1, 2"):
        read_reply('{"do": "next", "speaker": 1, "point": 9}', question())
    with pytest.raises(UnusableAnswer, match="needs a speaker"):
        read_reply('{"do": "next"}', question())
    assert (
        read_reply('{"do": "Next", "speaker": "2", "point": null}'.replace("null", "0"), question()).speaker
        == 2
    )
    fields = [
        question_schema(question(may_close=free))["properties"]["speaker"]["enum"] for free in (False, True)
    ]
    assert fields == [[1, 2, 3], [0, 1, 2, 3]], (
        "while the round cannot be closed, a reply that fits the schema calls somebody"
    )


def test_a_round_is_not_closed_before_everybody_had_a_first_word() -> None:
    with pytest.raises(UnusableAnswer, match="choose from: next"):
        read_reply('{"do": "close the round"}', question(may_close=False))
    for open_ in ({}, {"may_close": False, "reached": "every token budget is spent"}):
        assert read_reply('{"do": "close the round"}', question(**open_)).do == "close the round"


def test_a_moderator_is_told_what_was_said_and_who_can_speak() -> None:
    people = ({"id": "ann", "spoken": 7, "waited": 8, "addressed": True}, {"id": "bob", "spoken": 0})
    prompt = question(people, reached="why", last_round=True).prompt()
    for part in (
        'Ann (against), answering Bob: "Words."',
        "1. Ann runs trams. In favour. Spoke 7 times, last 8 turns ago; not yet in this round.",
        "Ann has just answered them",
        "2. Bob runs trams. In favour. Has not spoken yet.",
        '1. Ann: "Text of k001."',
        "(why), so you may close the panel",
    ):
        assert part in prompt, part


def test_a_moderator_is_told_nothing_twice() -> None:
    """A clause of a bio says who somebody is; a point among the last turns is recalled by its first words."""
    point = "Trams are cheaper than buses on lines where many people travel every day."
    said = (HeardTurn("Ann", f"I am for this. {point}", "in favour", ""),)
    asked = replace(
        question(),
        points=(PanelPoint("Ann", point), PanelPoint("Bob", point.replace("cheaper", "dearer"))),
        last=said,
    )
    prompt = asked.prompt()
    assert '1. Ann: "Trams are cheaper than buses on lines where ..."\n2. Bob: "Trams are dearer' in prompt
    assert (
        first_clause("Ann Lee runs the trams of a town, where she grew up. She sings.")
        == "Ann Lee runs the trams of a town."
    )
    assert (
        first_clause("Ann Lee met judges, cooks and priests. She sings.")
        == "Ann Lee met judges, cooks and priests."
    )
    assert str(SpeakerCandidate("Ann Lee", "Runs trams.", None, "Has not spoken yet.", "")).startswith(
        "Ann Lee. Runs trams. Has"
    )


def test_what_a_speaker_adds_to_its_own_point_does_not_take_it_up() -> None:
    common = {
        "text": "Words.",
        "topic": "T",
        "stance": 0.5,
        "step": 1,
        "speaker": "ann",
        "start": 0,
        "end": 6,
        "confidence": 1,
        "extractor": "x",
    }
    made = [Claim(id=f"k{n}", utterance=at, **common) for n, at in ((1, 1), (2, 2), (3, 2))]
    edges = [
        Edge(source="k3", target=of, type="refines", confidence=1, extractor="x", step=1)
        for of in ("k1", "k2")
    ]
    arguments = ArgumentState(SimpleNamespace(claims=made, edges=edges), {})
    assert [one.id for one in arguments.list_unanswered()] == ["k2", "k3"]


def test_what_is_granted_or_taken_back_is_not_open_and_the_newest_points_have_a_place() -> None:
    """Eight old claims; in turn 9 Bob grants one and refines another, in 10 Ann takes back hers."""
    common = {
        "text": "Words.",
        "topic": "T",
        "stance": 0.5,
        "step": 1,
        "start": 0,
        "end": 6,
        "confidence": 1,
        "extractor": "x",
    }
    said = [(n, "ann", n) for n in range(1, 9)] + [
        (10, "bob", 9),
        (11, "bob", 9),
        (12, "ann", 10),
        (13, "cy", 11),
        (14, "cy", 11),
    ]
    made = [Claim(id=f"k{n:03d}", speaker=by, utterance=at, **common) for n, by, at in said]
    related = (
        ("k010", "k001", "supports"),
        ("k011", "k002", "refines"),
        ("k012", "k003", "counters"),
        ("k014", "k004", "supports"),
    )
    edges = [Edge(source=a, target=b, type=how, confidence=1, extractor="x", step=1) for a, b, how in related]
    names = {name: name.title() for name in ("ann", "bob", "cy")}
    arguments = ArgumentState(SimpleNamespace(claims=made, edges=edges), names, granting={9, 10})
    assert [one.id for one in arguments.open_claims(11, "cy", "")] == [
        "k001",
        "k004",
        "k005",
        "k006",
        "k007",
        "k013",
        "k011",
    ]
    assert [one.id for one in arguments.other_open_claims("k013", "ann")] == ["k011", "k014"]
    arguments.influence = {f"k{n:03d}": 1.0 for n in range(1, 9)}
    assert [one.id for one in arguments.other_open_claims("", "bob")] == [
        "k001",
        "k004",
        "k005",
        "k006",
        "k007",
    ]
    floor = TurnTaking([], heard=[HeardTurn("Ann", "Well. Words.", None)])
    assert str(floor.point(arguments.view(made[0]))) == 'Ann: "Words."'
    whole = made[0].model_copy(update={"text": "The words are few."})
    assert str(floor.point(arguments.view(whole))) == "Ann: The words are few."


def test_a_moderator_is_not_asked_where_only_one_decision_is_left() -> None:
    async def ask(*given: Any) -> ModeratorDecision:
        return ModeratorDecision(do="close the round")

    table: Any = SimpleNamespace(stage=SimpleNamespace(ask=ask))
    for asked, decided in (
        (question([{"id": "ann"}], claims=(), may_close=False), ModeratorDecision(do="next", speaker=1)),
        (question([{"id": "ann"}], may_close=False), ModeratorDecision(do="close the round")),
        (question(claims=(), may_close=False), ModeratorDecision(do="close the round")),
    ):
        assert asyncio.run(_moderate(table, asked)) == decided


def test_a_citation_spans_all_that_was_quoted() -> None:
    text = "Owls hunt at night in old barns. Mice hide in winter straw. Cats sleep on warm ovens all day."
    passage = Passage(id="c0001", text=text)
    _, (one,) = cite("Mice hide in winter straw [1].", [passage])
    assert text[one.start : one.end] == "Mice hide in winter straw."
    _, (two,) = cite("Owls hunt at night in old barns [1]. Mice hide in winter straw [1].", [passage])
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
    usual = Moderate.offline

    def impatient(self: Moderate, draw: Draw) -> ModeratorDecision:
        return ModeratorDecision(do="close the panel") if self.turn == 3 else usual(self, draw)

    monkeypatch.setattr(Moderate, "offline", impatient)
    sit(Path("panel"), tmp_path / "run")
    with RunFile.open(tmp_path / "run") as run:
        closed = [c for _, c in RoundClosed.read(Log(run))]
        assert [(c.name, c.turns, c.reason) for c in closed] == [
            ("opening", 2, "the moderator ended the panel")
        ]


def test_who_has_no_tokens_left_is_named_and_not_counted_among_those_who_had_a_last_word(
    sit: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A panelist whose tokens end before the last round."""
    poor = [
        p.model_copy(update={"tokens": 150}) if p.id == "dmitri-vance" else p
        for p in load_personas(Panel.reference / "personas.toml")
    ]
    save_personas(tmp_path / "poor.toml", poor)
    monkeypatch.setenv("OPENIIR_DATA", str(tmp_path))
    pages: list[str] = []
    usual = Moderate.offline

    def listen(self: Moderate, draw: Draw) -> ModeratorDecision:
        pages.append(self.prompt())
        return usual(self, draw)

    monkeypatch.setattr(Moderate, "offline", listen)
    cast = 'cast=["mara-lindqvist", "leo-adeyemi", "priya-raman", "dmitri-vance"]'
    sit(Path("panel"), tmp_path / "run", None, cast, 'personas="$OPENIIR_DATA/poor.toml"')
    with RunFile.open(tmp_path / "run") as run:
        closed = [c for _, c in RoundClosed.read(Log(run))]
        spoke = {entry.actor for entry, one in Spoke.read(Log(run)) if one.round == "wrap-up"}
    assert (
        "dmitri-vance" not in spoke
        and closed[-1].reason == "everyone who could still speak gave a final stance"
    )
    assert "Out of speaking time: Dmitri Vance." in pages[-1]


@pytest.mark.parametrize(
    ("coverage", "claim", "on_web"), [(0.29, "k001", True), (0.3, "k001", False), (0.29, "", False)]
)
def test_the_web_is_searched_for_a_claim_that_the_corpus_covers_below_three_tenths(
    coverage: float, claim: str, on_web: bool
) -> None:
    """The threshold of MODELS 2.1, D2; `coverage` is the best normalised lexical score."""
    matter = PanelPoint("Ada", "A matter.")
    question = SearchWeb(
        "T", "opening", "Begin.", matter, 1, "against", None, ("cost", "noise"), coverage, claim
    )
    found = question.offline(DRAW)
    assert (bool(found.missing), found.query) == (on_web, "cost noise")


def test_what_is_missing_is_asked_only_of_who_may_search_the_web() -> None:
    last = PanelPoint("Ada", "Last words.")
    without, once = (
        LookUp("T", "opening", "Begin.", None, left, "against", last, ("cost",), 0.1, "k001")
        for left in (0, 1)
    )
    assert set(without.offline(DRAW).model_dump()) == {"thoughts", "query"} and "web" not in without.prompt()
    for part in (
        "search the web instead (once in this panel)",
        "On the motion you are against.",
        'last that was said:\nAda: "Last words."',
    ):
        assert part in once.prompt()
    with pytest.raises(UnusableAnswer, match="leave missing empty"):
        once.check(WebSearchReply(missing="There is nothing on the cost of noise."))


@pytest.mark.parametrize(
    ("reply", "asked"),
    [
        (WebSearchReply(query="owls", missing="No owls."), ["web owls: No owls.", "articles owls"]),
        (LookUpReply(query="owls"), ["articles owls"]),
        (LookUpReply(), []),
    ],
)
def test_where_a_panelist_looks_follows_from_what_it_wants(reply: LookUpReply, asked: list[str]) -> None:
    seen: list[str] = []

    class Library:
        config, claims = SimpleNamespace(passages=3), ()

        async def search(self, agent: Any, query: str, missing: str, claims: list[str]) -> list[Any]:
            seen.append(f"web {query}: {missing}")
            return []

        async def lookup(self, agent: Any, query: str, most: int) -> list[Any]:
            seen.append(f"articles {query}")
            return []

    wanted = SearchWeb("T", "opening", "Begin.", None, 1, "against", None, ("owls",), 0.1, "")
    person = SimpleNamespace(agent=None, looked_up=[])
    asyncio.run(fetch_passages(Library(), person, wanted, reply))
    assert seen == asked
