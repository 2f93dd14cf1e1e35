"""What a schedule acts through: lanes, draws, rows, new agents, claims."""

import asyncio
import json
from dataclasses import dataclass
from typing import ClassVar

import pytest
from pydantic import Field

from openiir.core.agents import Agent, AnswerRouter, Knowledge, Parallelism
from openiir.core.asking import Answer, AnswererChoice, OfflineAnswerer, RestartLane, SystemAnswerer
from openiir.core.errors import UnknownName
from openiir.core.hashing import sha256
from openiir.core.records import Chunk, Persona
from openiir.core.world import World
from openiir.plugin import Action, ClaimSource, Draw, InputError, Question, Record, Stage
from openiir.testing import cast

SEED = 17


class Number(Record):
    number: int = Field(ge=0, le=999_999)


@dataclass(frozen=True)
class Pick(Question[Number]):
    kind: ClassVar[str] = "test.pick"

    def prompt(self):
        return "Pick a number."

    def offline(self, draw):
        return Number(number=draw.below(1_000_000))


class Waved(Action):
    kind: ClassVar[str] = "test.waved"
    turn: int


@pytest.fixture
def stage():
    """A stage at its first step, with four offline agents and no world."""
    stage = Stage(
        AnswerRouter(SEED, AnswererChoice(), {"offline": OfflineAnswerer()}),
        Knowledge({}, None, None),
        None,
        None,
    )
    stage.agents = [Agent.of(persona) for persona in cast(4)]
    stage.begin(1)
    return stage


def events(stage, kind=None):
    return [
        (lane, k, actor, json.loads(payload))
        for lane, k, actor, payload in stage.rows.events
        if kind in (None, k)
    ]


def test_lanes_log_in_the_order_given_whoever_is_done_first(stage):
    def life(agent, turns):
        async def live(lane):
            for turn in range(3):
                for _ in range(turns):
                    await asyncio.sleep(0)
                lane.act(agent, Waved(turn=turn))
            return agent.id.upper()

        return live

    slow, quick = stage.agents[0], stage.agents[1]
    results = asyncio.run(stage.lanes({"slow": life(slow, 9), "quick": life(quick, 1)}))
    assert results == {"slow": "ADA", "quick": "BEN"}
    assert [(lane, actor, p["turn"]) for lane, _, actor, p in events(stage)] == [
        *(("slow", "ada", turn) for turn in range(3)),
        *(("quick", "ben", turn) for turn in range(3)),
    ]


def test_a_failing_life_is_told_after_the_others_came_home(stage):
    async def fails(lane):
        raise InputError("no way")

    async def lives(lane):
        await asyncio.sleep(0)
        lane.act(stage.agents[0], Waved(turn=1))

    with pytest.raises(InputError, match="no way"):
        asyncio.run(stage.lanes({"a": fails, "b": lives}))
    assert [lane for lane, *_ in events(stage)] == ["b"]


def test_a_question_is_drawn_alike_in_a_lane_and_on_the_main_one(stage):
    agent = stage.agents[0]
    alone = asyncio.run(stage.ask(agent, Pick()))
    asked = asyncio.run(stage.lanes({"twin": lambda lane: lane.ask(agent, Pick())}))
    assert asked["twin"] == alone


def test_asking_again_draws_anew_and_asking_others_changes_nothing(stage):
    ada, ben = stage.agents[:2]
    together = asyncio.run(stage.ask_all([(ben, Pick()), (ada, Pick()), (ada, Pick())]))
    stage.begin(1)
    alone = asyncio.run(stage.ask_all([(ada, Pick()), (ada, Pick())]))
    assert together[1:] == alone
    assert len({reply.number for reply in together}) == 3


def test_an_agent_without_tokens_is_not_asked(stage):
    stage.agents[0].debit(tokens=10_000)
    replies = asyncio.run(stage.ask_all([(agent, Pick()) for agent in stage.agents]))
    assert [reply is None for reply in replies] == [True, False, False, False]
    outcomes = [p["outcome"] for *_, p in events(stage, "asked")]
    assert outcomes == ["exhausted", "answered", "answered", "answered"]


def test_draws_of_the_platform_are_named_by_purpose_and_step(stage):
    assert stage.draw("test.order", item="x") == Draw(SEED, "test.order", item="x", step=1)
    first = stage.draw("test.order").bits()
    stage.begin(2)
    assert stage.draw("test.order").bits() != first


def test_who_joins_is_on_the_stage_and_in_the_log(stage):
    fifth = cast(5)[4]
    agent = stage.join(fifth)
    assert stage.agents[-1] is agent and stage.agent("eve") is agent
    assert [p["id"] for *_, p in events(stage, "joined")] == ["eve"]
    with pytest.raises(InputError, match="give each its own"):
        stage.join(fifth)


def test_who_joins_searches_as_the_study_says_unless_they_name_a_mode(stage):
    stage.knowledge.default_mode = "own"
    named = {"id": "gus", "retrieval": "hybrid"}
    joined = [stage.join(Persona(name="A", bio="Reads.", **keys)) for keys in ({"id": "fay"}, named)]
    assert [agent.persona.retrieval for agent in joined] == ["own", "hybrid"]
    assert [p["retrieval"] for *_, p in events(stage, "joined")] == ["own", "hybrid"]


def test_lanes_stay_in_this_process_where_a_retriever_may_be_asked(stage, monkeypatch):
    parted = []
    monkeypatch.setattr(Stage, "_run_in_processes", lambda self, lanes, lives: parted.append(1) or {})
    stage.spread = Parallelism(2)

    async def live(lane):
        return lane.name

    for retrievers in ({}, {"main": object()}):
        stage.knowledge.retrievers = retrievers
        assert asyncio.run(stage.lanes(dict.fromkeys("ab", live), pure=True)) == {"a": "a", "b": "b"}
    assert parted == [1], "the ledger would not see their calls"


def test_what_is_published_is_found_from_then_on_and_only_once(stage):
    texts = ("The ferry leaves at nine.", "The pier is made of oak.", "Gulls nest on the roof.")
    chunks = [
        Chunk(
            id=f"c{n}",
            world="main",
            source="notes.md",
            start=0,
            end=len(text),
            text=text,
            sha256=sha256(text),
        )
        for n, text in enumerate(texts)
    ]
    world = asyncio.run(World.build("main", chunks))
    stage.knowledge = Knowledge({"main": world}, None, None)
    agent = stage.agents[0]

    def find(query):
        return [hit.chunk.source for hit in asyncio.run(stage.lookup(agent, query, 1))]

    assert find("tides of March") == []
    found = asyncio.run(stage.publish({"post 4": "The tides of March flood the pier.", "post 5": texts[0]}))
    assert [hit.chunk.source for hit in found] == ["post 4"] and stage.rows.chunks == [found[0].chunk]
    assert find("tides of March") == ["post 4"]


@pytest.mark.parametrize(
    "use",
    [
        lambda stage, ben: stage.act(ben, Waved(turn=1)),
        lambda stage, ben: asyncio.run(stage.ask(ben, Pick())),
        lambda stage, ben: asyncio.run(stage.lookup(ben, "tides")),
        lambda stage, ben: asyncio.run(stage.search(ben, "tides", "nothing is known of them")),
        lambda stage, ben: asyncio.run(
            stage.lanes({"ben": lambda lane: lane.ask(Agent.of(ben.persona), Pick())})
        ),
        lambda stage, ben: stage.agent("ben"),
        lambda stage, ben: stage.leave(ben),
    ],
)
def test_an_agent_that_left_takes_no_part(stage, use):
    ben = stage.agent("ben")
    stage.leave(ben)
    assert [agent.id for agent in stage.agents] == ["ada", "cleo", "dov"]
    assert [actor for _, _, actor, _ in events(stage, "left")] == ["ben"]
    stage.begin(2)
    with pytest.raises(
        InputError, match="'ben' left in step 1 and cannot take part in step 2; take agents from"
    ):
        use(stage, ben)
    with pytest.raises(InputError, match="is or was on the stage already"):
        stage.join(ben.persona)


def test_an_agent_who_is_not_there_is_named(stage):
    with pytest.raises(UnknownName, match="did you mean 'cleo'"):
        stage.agent("cleop")


def test_rows_and_changes_belong_to_their_step(stage):
    stage.row("counts", step=stage.step, n=3)
    stage.changed = {"mu": 0.2}
    stage.begin(2)
    assert stage.rows.tables == {}
    assert events(stage) == [("main", "changed", None, {"mu": 0.2})]
    stage.begin(3)
    assert events(stage) == []


def test_things_said_at_the_same_time_do_not_see_each_other(stage):
    topic = "Libraries should lend recommendations"
    texts = (
        "Recommendations help readers because they find more books.",
        "Recommendations harm the privacy of readers.",
    )
    said = [
        ClaimSource(text, agent.id, n, topic)
        for n, (text, agent) in enumerate(zip(texts, stage.agents, strict=False), 1)
    ]
    found = asyncio.run(stage.extract_all(said))
    assert [[c.speaker for c in claims] for claims in found] == [["ada"], ["ben"]]
    assert [c.id for c in stage.claims] == ["k001", "k002"]
    assert not stage.edges
    asyncio.run(
        stage.extract(
            ClaimSource(
                "However, recommendations do not help readers because they do not find more books.",
                "cleo",
                3,
                topic,
                reply_to="k001",
            )
        )
    )
    ids = [c.id for c in stage.claims]
    assert stage.edges and all(ids.index(e.target) < ids.index(e.source) for e in stage.edges)


def test_a_stage_given_the_claims_of_a_log_goes_on_as_the_one_that_made_them(stage):
    topic, (ada, ben) = "Libraries should lend recommendations", stage.agents[:2]
    posts = [
        ClaimSource(
            f"{'However, ' * (n % 3 == 0)}recommendations {('harm', 'help')[n % 2]} readers of {n % 7}.",
            (ada, ben)[n % 2].id,
            n,
            topic,
            reply_to=f"k{n // 2:03d}" if n % 4 == 3 else None,
        )
        for n in range(40)
    ]
    again = Stage(stage.answering, stage.knowledge, None, None)
    again.begin(2)

    async def extract_all(on, some):
        for post in some:
            await on.extract(post)

    asyncio.run(extract_all(stage, posts[:20]))
    again.claims, again.edges = list(stage.claims), list(stage.edges)
    stage.begin(2)
    for on in (stage, again):
        asyncio.run(extract_all(on, posts[20:]))
    assert len(stage.claims) > 14 and len(stage.edges) > 10
    assert (again.claims, again.edges) == (stage.claims, stage.edges)


class Scribe(OfflineAnswerer):
    """Answers an extraction as somebody would who is told names and words alone."""

    name = label = "model"

    async def answer(self, asked):
        page = asked.question.prompt()
        assert 'Ada Brook answers: "It is slow."' in page and "1. Ben" in page, page
        claim = {
            "words": "it is “SLOW”",
            "claim": "The tram is slow.",
            "motion": "strongly against",
            "sure": "hardly",
        }
        reply = asked.question.Reply.model_validate(
            {"claims": [claim | {"bears_on": [{"earlier": 1, "how": "refines"}]}]}
        )
        return Answer(reply, self.name)


def test_what_a_model_finds_joins_the_graph_as_a_sentence(stage):
    topic, (ada, ben) = "Trams help", stage.agents[:2]
    asyncio.run(
        stage.extract(ClaimSource("Trams are faster than buses because they never wait.", ben.id, 1, topic))
    )
    stage.answering = AnswerRouter(
        SEED,
        AnswererChoice(kind={"claims.extract": "model"}),
        {"offline": OfflineAnswerer(), "model": Scribe()},
    )
    (claim,) = asyncio.run(
        stage.extract(ClaimSource("It is slow [c0001].", ada.id, 2, topic, reply_to="k001"))
    )
    assert (claim.text, claim.start, claim.end, claim.stance, claim.confidence) == (
        "The tram is slow.",
        0,
        10,
        -0.9,
        0.4,
    )
    assert [(e.source, e.type, e.target) for e in stage.edges] == [("k002", "refines", "k001")]


class Forgetful:
    """Sessions of a system that forgot what is on record: the first turn asked anew restarts a lane."""

    def __init__(self):
        self.entered, self.closed = [], []

    async def turn(self, asked, words, on_try):
        raise NotImplementedError

    def note_recorded(self, place): ...

    def is_only_recorded(self, place):
        return True

    def has_dialogue(self, lane):
        return False

    def enter_lane(self, lane):
        self.entered.append(lane)

    async def leave(self, lane, asker):
        self.closed.append((lane, asker))


class Records:
    """A ledger that notes what is set aside."""

    live = True

    def __init__(self):
        self.abandoned, self.run = [], self

    def abandon(self, lane, step):
        self.abandoned.append((lane, step))


def test_a_lane_that_starts_anew_leaves_nothing_of_its_first_life(stage):
    ledger, sessions = Records(), Forgetful()
    stage.knowledge.ledger = ledger
    partner = SystemAnswerer(ledger, None, sessions, "bot")
    stage.answering.answerers = {**stage.answering.answerers, "system:bot": partner}
    lives = []

    def life(name, fails):
        async def live(lane):
            lives.append(name)
            lane.note("test.life", None, {"n": lives.count(name)})
            lane.row("lives", name=name)
            picked = await lane.ask("role", Pick())
            if lives.count(name) <= fails:
                raise RestartLane
            await lane.end_dialogue("system:bot")
            return picked.number, lane.place("role", "test.pick", "").ordinal

        return live

    results = asyncio.run(stage.lanes({"a": life("a", 2), "b": life("b", 0)}))
    assert sorted(lives) == ["a", "a", "a", "b"]
    assert results["a"] == results["b"] and results["a"][1] == 1, "questions are counted anew"
    assert [(lane, p) for lane, _, _, p in events(stage, "test.life")] == [("a", {"n": 3}), ("b", {"n": 1})]
    assert len(stage.rows.tables["lives"]) == 2 and len(events(stage, "asked")) == 2
    assert ledger.abandoned == [("a", 1), ("a", 1)]
    assert sorted(sessions.entered) == ["a", "a", "a", "b"]
    assert sorted(sessions.closed, key=str) == [
        ("a", "system:bot"),
        *[("a", None)] * 3,
        ("b", "system:bot"),
        ("b", None),
    ]
