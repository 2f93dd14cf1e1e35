"""The contract passes for a type that keeps it, and names what is wrong with each that does not."""

import ast
import itertools
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

import pytest
from pydantic import Field

from openiir import testing
from openiir.plugin import (
    Action,
    Count,
    Entry,
    Id,
    Interview,
    Measure,
    Question,
    Record,
    Scenario,
    Source,
    Stars,  # noqa: F401  a field's type in words
    Step,
    Surface,
    Table,
    UnusableAnswer,
)
from openiir.runs import types
from openiir.testing import ScenarioContract, cast

STEPS = 3
SPEECH = "test_prompts_are_as_people_speak"
COUNTER = itertools.count()


class Picked(Record):
    number: int = Field(ge=0, le=99)
    word: str = Field(max_length=40)


class Tabled(Record):
    number: int = Field(ge=0, le=99)
    grades: dict[str, int]


class Loose(Record):
    number: int
    word: str
    more: tuple[str, ...] = Field((), max_length=3)


@dataclass(frozen=True)
class Weighed:
    weight: float | None = None


@dataclass(frozen=True)
class Pick(Question[Picked]):
    """A question whose offline answer uses its facts and its disposition, and whose prompt shows the
    facts."""

    floor: Count
    flavour: str
    shelf: Id = "s017"
    eager: Annotated[float, Source("persona")] = 0.31
    kind: ClassVar[str] = "tiny.pick"
    example: ClassVar[Record | None] = Picked(number=7, word="wool")

    @property
    def subject(self):
        return self.shelf

    def prompt(self):
        return f"Pick a number from {self.floor} on, in the flavour {self.flavour}."

    def offline(self, draw):
        number = max(0, self.floor) + draw.below(30) + round(10 * self.eager)
        return Picked(number=min(99, number), word=self.flavour[:40])


class Chosen(Action):
    kind: ClassVar[str] = "tiny.chosen"
    number: int


class TinyConfig(Record):
    floor: int = Field(3, ge=0, le=9)
    flavour: str = Field("salt", min_length=1, max_length=20)


class Tiny(Scenario):
    """Everybody picks a number at each step."""

    name = "tiny"
    Config = TinyConfig
    structural = frozenset({"floor"})
    question = Pick

    def actions(self):
        return (Chosen,)

    async def schedule(self, stage):
        for n in range(STEPS):
            question = self.question(stage.config.floor, f"{stage.config.flavour} {n}")
            asked = [(a, question) for a in stage.agents]
            for (agent, _), reply in zip(asked, await stage.ask_all(asked), strict=True):
                if reply is not None:
                    stage.act(agent, Chosen(number=reply.number))
            yield Step(f"pick {n}")

    def metrics(self, log):
        return {"picks": Measure(float(len(list(log.events("tiny.chosen")))))}

    def surfaces(self):
        return (
            Surface("picks", "timeline", "Picks", picks, per_agent=True, live="append"),
            Interview("chat", "Ask", interview, statements),
        )


def picks(log, since=0, agent=None):
    names = {p.id: p.name for p in log.personas}
    return [
        Entry(step=e.step, actor=names[e.actor], agent=e.actor, text=str(c.number))
        for e, c in Chosen.read(log, since=since, **({} if agent is None else {"actor": agent}))
    ]


def interview(log, persona, asked):
    own = [str(c.number) for _, c in Chosen.read(log, actor=persona.id)]
    return Pick(len(own), f"{asked} {' '.join(own)}")


def statements(log, agent):
    return [(f"pick-{e.seq}", str(c.number)) for e, c in Chosen.read(log, actor=agent)]


class TestTypeThatKeepsTheContract(ScenarioContract):
    type = Tiny
    study: ClassVar = {"type": "tiny", "seed": 5, "config": {"floor": 3}}


@pytest.mark.parametrize("steps", [(1,), (2,), (2, 3), (9,)])
def test_a_study_may_change_its_own_keys(tried, steps):
    changes = [{"step": step, "set": {"flavour": f"sugar of {step}"}} for step in steps]
    tried(Tiny, "test_change_to_the_same_value_changes_nothing", change=changes)


def test_an_entry_point_to_another_class_is_named(entered, monkeypatch):
    entered(Overspending)
    monkeypatch.setitem(types.AT_HAND, "tiny", Tiny)
    with pytest.raises(
        AssertionError, match="should lead to .*Tiny, it leads to .*Overspending.*; mend pyproject.toml"
    ):
        type("Contract", (ScenarioContract,), {"type": Tiny})().test_is_found_by_name()


def test_every_failure_of_the_contract_says_what_to_do():
    for path in Path(testing.__file__).parent.glob("contract*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Assert):
                words = ast.unparse(node.msg) if node.msg else ""
                assert re.search("; |[.] |^remedy$", words), (
                    f"{path.name}, line {node.lineno}: say what to do"
                )


def test_a_gap_in_a_view_is_allowed(tried):
    tried(viewing(Surface("a", "table", "A", not_a_number)), "test_surfaces_give_their_form")


def asking(**changed):
    """Tiny, with another question."""
    return type("Tiny", (Tiny,), {"question": dataclass(frozen=True)(type("Pick", (Pick,), changed))})


def prompts(words):
    return asking(prompt=lambda self: words.format(self=self))


def viewing(*surfaces):
    return type("Tiny", (Tiny,), {"surfaces": lambda self: surfaces})


def measuring(metrics):
    return type("Tiny", (Tiny,), {"metrics": metrics})


class Overspending(Tiny):
    async def schedule(self, stage):
        async for step in super().schedule(stage):
            stage.agents[0].debit(tokens=5)
            yield step


class Undeclared(Tiny):
    def actions(self):
        return ()


class Counting(Tiny):
    """Keeps a number outside the run."""

    async def schedule(self, stage):
        async for step in super().schedule(stage):
            stage.act(None, Chosen(number=next(COUNTER)))
            yield step


class Nervous(Tiny):
    """Does something because of a change, whatever it changes."""

    async def schedule(self, stage):
        async for step in super().schedule(stage):
            yield step
            if list(stage.log.events("changed")):
                stage.act(None, Chosen(number=1))


class WrongDefault(TinyConfig):
    floor: int = Field(30, ge=0, le=9)


class Idle(TinyConfig):
    idle: int = Field(1, ge=0, le=9)


class Lenient(TinyConfig):
    model_config: ClassVar = {"extra": "ignore"}


def fails(self, reply):
    raise UnusableAnswer("never good enough")


def complains(self, reply):
    if reply.number > 99 or reply.word == "nothing of the kind":
        raise UnusableAnswer(f"word: there is no such thing on {self.shelf}")


def all_the_same(cls, questions, draws):
    return [questions[0].offline(draws[0])] * len(questions)


def everyone(log, persona, asked):
    return Pick(1, " ".join(str(c.number) for _, c in Chosen.read(log)))


def all_statements(log, agent):
    return [(f"pick-{e.seq}", str(c.number)) for e, c in Chosen.read(log)]


def not_a_number(log):
    return Table(columns=("x",), rows=((math.nan,),))


def deaf_to_since(log, since=0):
    return picks(log)


BROKEN = {
    "a key that does nothing": (
        type("Tiny", (Tiny,), {"Config": Idle}),
        "test_every_key_acts",
        r"idle \(dead\): none of \d values changes anything",
    ),
    "loose reply": (
        asking(Reply=Loose, offline=lambda self, draw: Loose(number=1, word=self.flavour)),
        "test_replies_are_bounded",
        r"(?s)number without lower bound.*upper bound.*reply.word is a text.*reply.more\[\] is a text",
    ),
    "fails its check": (
        asking(check=fails),
        "test_offline_replies_pass_their_own_check",
        "never good enough",
    ),
    "remembers": (
        asking(offline=lambda self, draw: Picked(number=next(COUNTER) % 99, word="")),
        "test_offline_answers_depend_on_their_question_alone",
        "two replies",
    ),
    "looks at identity": (
        asking(offline=lambda self, draw: Picked(number=id(self) // 64 % 97, word="")),
        "test_offline_answers_depend_on_their_question_alone",
        "a copy of it",
    ),
    "batch differs": (
        asking(offline_all=classmethod(all_the_same)),
        "test_offline_answers_depend_on_their_question_alone",
        "offline_all and offline",
    ),
    "hides a fact": (
        prompts("Pick something of the flavour {self.flavour}."),
        "test_prompts_change_with_the_facts_alone",
        "the prompt does not tell floor;",
    ),
    "tells an id": (
        prompts(
            "Pick a number from {self.floor} on, in the flavour {self.flavour}, off the shelf {self.shelf}."
        ),
        "test_prompts_change_with_the_facts_alone",
        "shelf changes what is sent",
    ),
    "repairs by an id": (
        asking(check=complains),
        "test_prompts_change_with_the_facts_alone",
        "shelf changes what is sent",
    ),
    "a bare number": (
        asking(__annotations__={"weighed": Weighed}, weighed=Weighed()),
        "test_every_field_is_a_fact_or_says_its_source",
        "weighed.weight is a bare number",
    ),
    "stars finer than told": (
        asking(__annotations__={"stars": "tuple[Stars, ...]"}, stars=(4.0, 2.604), __module__=__name__),
        "test_every_field_is_a_fact_or_says_its_source",
        "stars holds 2.604, finer than one decimal",
    ),
    "no source": (
        asking(__annotations__={"eager": Annotated[float, Source("hearsay")]}, eager=0.31),
        "test_every_field_is_a_fact_or_says_its_source",
        "eager names no Source of persona, study, fitted, drawn",
    ),
    "decimals": (
        prompts("From {self.floor} on, {self.flavour}, by 0.749."),
        SPEECH,
        "(?s)by 0.749.* holds a number with two",
    ),
    "a percentage": (prompts("From {self.floor} on, {self.flavour}, by 44 %."), SPEECH, "holds a percentage"),
    "a scale": (prompts("From {self.floor} on, {self.flavour}, -1 to +1."), SPEECH, "holds a scale"),
    "an identifier": (
        prompts("From {self.floor} on, {self.flavour}, as user-u009."),
        SPEECH,
        "holds an identifier",
    ),
    "a table of any keys": (
        asking(Reply=Tabled, offline=lambda self, draw: Tabled(number=1, grades={"a": 1}), example=None),
        "test_replies_fit_the_schema_that_is_sent",
        "(?s)tiny.pick.*cannot be strict",
    ),
    "an offline reply off the list": (
        asking(allowed=lambda self: {"word": ["tulips"]}),
        "test_replies_fit_the_schema_that_is_sent",
        "the offline reply: 'salt 0' is not one of",
    ),
    "draws nothing": (
        asking(offline=lambda self, draw: Picked(number=1, word=self.flavour)),
        "test_another_seed_another_content",
        "nothing is drawn",
    ),
    "overspends": (Overspending, "test_budgets_add_up", "the log tells of"),
    "undeclared action": (Undeclared, "test_actions_are_declared_and_read_back", "does not declare"),
    "counts outside": (Counting, "test_same_seed_same_content", "differ in their .*events"),
    "heeds changes": (
        Nervous,
        "test_change_to_the_same_value_changes_nothing",
        "changes what happens; look at",
    ),
    "structural key unknown": (
        type("Tiny", (Tiny,), {"structural": frozenset({"floor", "ceiling"})}),
        "test_structural_keys_exist",
        "ceiling",
    ),
    "NaN without reason": (
        measuring(lambda self, log: {"x": Measure(math.nan)}),
        "test_undefined_measures_say_why",
        "NaN without a reason",
    ),
    "infinite": (
        measuring(lambda self, log: {"x": Measure(math.inf)}),
        "test_undefined_measures_say_why",
        "infinite",
    ),
    "beyond its bounds": (
        type("Tiny", (Tiny,), {"definitions": {"picks": ("picks", "number of picks", (0.0, 1.0))}}),
        "test_measures_lie_within_their_bounds",
        "from 0 to 1",
    ),
    "measures drift": (
        measuring(lambda self, log: {"x": Measure(float(next(COUNTER)))}),
        "test_measures_are_functions_of_the_log",
        "changes when read again",
    ),
    "no surfaces": (viewing(), "test_surfaces_have_names_of_their_own", "empty"),
    "two of a name": (
        viewing(Surface("a", "timeline", "A", picks), Surface("a", "timeline", "B", picks)),
        "test_surfaces_have_names_of_their_own",
        "used twice",
    ),
    "wrong default": (
        type("Tiny", (Tiny,), {"Config": WrongDefault}),
        "test_defaults_are_valid",
        "the default of floor.*; give floor a default",
    ),
    "keeps state outside": (
        Counting,
        "test_resume_agrees_after_a_stop_at_each_step",
        "first difference: step 1.*; a run that was stopped and resumed differs; keep nothing outside",
    ),
    "needs a whole run": (
        viewing(Surface("a", "timeline", "A", lambda log: [picks(log)[0], picks(log)[1]])),
        "test_surfaces_stand_a_run_under_way",
        "raised IndexError.*; mend the view",
    ),
    "wrong form": (
        viewing(Surface("a", "table", "A", picks)),
        "test_surfaces_give_their_form",
        "declared a table",
    ),
    "deaf to since": (
        viewing(Surface("a", "timeline", "A", deaf_to_since, live="append")),
        "test_surfaces_that_grow_take_since",
        "not what came after",
    ),
    "deaf to agent": (
        viewing(Surface("a", "timeline", "A", deaf_to_since, per_agent=True)),
        "test_surfaces_narrow_to_an_agent",
        "takes no `agent`",
    ),
    "interview tells of others": (
        viewing(Interview("a", "A", everyone, statements)),
        "test_interviews_know_what_the_agent_did_and_heard_alone",
        "what others did",
    ),
    "statements of others": (
        viewing(Interview("a", "A", interview, all_statements)),
        "test_interviews_know_what_the_agent_did_and_heard_alone",
        "what others stated",
    ),
}


@pytest.mark.parametrize("case", sorted(BROKEN))
def test_what_breaks_the_contract_is_named(tried, case):
    scenario, check, words = BROKEN[case]
    with pytest.raises(AssertionError, match=words):
        tried(scenario, check, config={"floor": 3})


@pytest.mark.parametrize(
    "changed",
    [
        {"prompt": lambda self: f"Pick a number from {self.floor} on: {self.eager}."},
        {"check": lambda self, reply: reply.number > self.eager},
        {"example": property(lambda self: Picked(number=abs(round(50 * self.eager)), word="wool"))},
    ],
    ids=["prompt", "check", "example"],
)
def test_a_disposition_cannot_be_told(tried, changed):
    with pytest.raises(AttributeError, match="Pick.eager was read to write what the person asked is told"):
        tried(asking(**changed), "test_prompts_change_with_the_facts_alone")


def test_unknown_keys_must_be_refused(tried):
    lenient = type("Tiny", (Tiny,), {"Config": Lenient})
    with pytest.raises(pytest.fail.Exception, match="refuse a key that it does not know"):
        tried(lenient, "test_unknown_key_is_refused")


def test_a_cast_grows_without_changing():
    assert cast(3) == cast(8)[:3]
    assert len({p.id for p in cast(20)}) == 20
    stances = [p.stance for p in cast(6)]
    assert min(s for s in stances if s is not None) < 0 < max(s for s in stances if s is not None)
    assert stances[-1] is None


def test_a_study_may_bring_its_world_from_anywhere(entered, tmp_path):
    from openiir.testing import run_offline

    entered(Tiny)
    sources = tmp_path / "elsewhere" / "sources"
    sources.mkdir(parents=True)
    (sources / "a.md").write_text("Salt keeps. Pepper bites.")
    (tmp_path / "elsewhere" / "b.md").write_text("Sugar melts.")
    worlds = {
        "main": {"sources": [str(sources)]},
        "other": {"sources": [str(tmp_path / "elsewhere" / "b.md")]},
    }
    finished = run_offline({"type": "tiny", "world": worlds}, tmp_path / "here", "config.flavour=sugar")
    with finished.run:
        assert [c.source for c in finished.log.chunks()] == ["sources/a.md", "b.md"]
        assert finished.log.study["config"]["flavour"] == "sugar"
        assert len(finished.asked) == STEPS * 4
