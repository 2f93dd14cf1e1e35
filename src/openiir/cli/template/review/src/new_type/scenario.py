"""The type of study: its configuration, its actions and its four methods."""

from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, ClassVar

from pydantic import Field

from new_type.metrics import SURFACES, review_measures
from new_type.questions import (
    Argue,
    RatePassage,
    Revise,
    sentences_of,
)
from openiir.plugin import (
    Action,
    Agent,
    ClaimSource,
    ConfigTable,
    InputError,
    Interview,
    Lane,
    Log,
    Measure,
    Persona,
    Scenario,
    Stage,
    Stance,
    Step,
    Surface,
    stance_word,
)
from openiir.plugin.arguments import stance

PARTS = ("rated", "discussed", "revised")


class NewTypeConfig(ConfigTable):
    """The `[config]` table of a study."""

    statement: str = Field(min_length=8, max_length=400)
    """The statement that the passages are to support."""
    passages: int = Field(4, ge=1, le=50)
    """Number of passages under review; those that most reviewers find are chosen."""
    talk: bool = True
    """Whether reviewers argue in pairs before they revise."""
    own_weight: float = Field(0.7, ge=0, le=1)
    """Weight of one's own rating against the others' when reviewers revise offline."""


class PassageRated(Action):
    """A reviewer rated a passage for the first time, or (`revised`) again."""

    kind: ClassVar[str] = "new-type.rated"
    passage: str
    score: int
    revised: bool


class Argued(Action):
    """A reviewer told another something about a passage."""

    kind: ClassVar[str] = "new-type.argued"
    number: int
    passage: str
    sentence: int
    """Number of the passage's sentence that it is about, from 1."""
    to: str
    text: str


class NewTypeStudy(Scenario):
    """Reviewers rate passages, argue in pairs, and revise."""

    name = "new-type"
    Config = NewTypeConfig
    structural = frozenset({"statement", "passages"})
    reference = Path(__file__).parent / "study"

    def actions(self) -> Sequence[type[Action]]:
        return (PassageRated, Argued)

    async def schedule(self, stage: Stage) -> AsyncIterator[Step]:
        review = Review(stage)
        passages = await review.choose()
        yield Step("passages chosen")
        for number, passage in enumerate(passages, 1):
            await review.rate(passage)
            yield Step(f"passage {number} rated")
            if stage.config.talk:
                await review.argue(passage)
            yield Step(f"passage {number} discussed")
            await review.revise(passage)
            yield Step(f"passage {number} revised")

    def planned_steps(self, config: Any) -> Sequence[str]:
        passages = range(1, config.passages + 1)
        return ["passages chosen"] + [f"passage {n} {part}" for n in passages for part in PARTS]

    def metrics(self, log: Log) -> Mapping[str, Measure]:
        return review_measures(log)

    def surfaces(self) -> Sequence[Surface | Interview]:
        return SURFACES

    def check(self, config: Any, personas: Sequence[Persona]) -> None:
        if len(personas) < 2:
            raise InputError(f"a review needs at least two personas, this study names {len(personas)}")


class Review:
    """State of a review: the ratings of a passage, and what each reviewer was told about it."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.number = 0
        self.scores: dict[str, int] = {}
        self.told: dict[str, tuple[str, str]] = {}
        """For each listener, who talked to them and what was said."""

    async def choose(self) -> list[str]:
        """Choose the passages that most reviewers find, ties by id; InputError if they find too few."""
        found: Counter[str] = Counter()
        for agent in self.stage.agents:
            hits = await self.stage.lookup(agent, self.stage.config.statement, 8)
            found.update([hit.chunk.id for hit in hits])
        if len(found) < self.stage.config.passages:
            raise InputError(f"config.passages is above {len(found)}, the number that reviewers find")
        return sorted(found, key=lambda passage: (-found[passage], passage))[: self.stage.config.passages]

    async def rate(self, passage: str) -> None:
        """Ask every reviewer to rate the passage, without knowing of the others."""
        text, statement = self.stage.world().chunk(passage).text, self.stage.config.statement
        questions = [
            (a, RatePassage(statement, passage, text, self.compute_view(a))) for a in self.stage.agents
        ]
        replies = await self.stage.ask_all(questions)
        self.scores, self.told = {}, {}
        for (agent, _), reply in zip(questions, replies, strict=True):
            if reply is not None:
                self.keep(agent, passage, reply.score, revised=False)

    async def argue(self, passage: str) -> None:
        """Let the most opposed reviewers talk to each other, each pair in a lane of its own."""
        order = sorted(self.scores, key=lambda name: (self.scores[name], name))
        pairs = [(order[n], order[-1 - n]) for n in range(len(order) // 2)]
        lives = {f"{a}+{b}": lambda lane, pair=(a, b): self.converse(lane, passage, pair) for a, b in pairs}
        talks = await self.stage.lanes(lives)
        for speaker, listener, remark in [remark for talk in talks.values() for remark in talk]:
            self.number += 1
            agent = self.stage.agent(speaker)
            self.told[listener] = (agent.persona.name, remark.say)
            about = {"passage": passage, "sentence": remark.sentence}
            self.stage.act(agent, Argued(number=self.number, to=listener, text=remark.say, **about))
            await self.stage.extract(
                ClaimSource(remark.say, speaker, self.number, self.stage.config.statement)
            )

    async def converse(self, lane: Lane, passage: str, pair: tuple[str, str]) -> list[tuple[str, str, Any]]:
        """Ask both reviewers of a pair for one remark; returns (speaker, listener, reply) for each."""
        text, statement = self.stage.world().chunk(passage).text, self.stage.config.statement
        remarks: list[tuple[str, str, Any]] = []
        for speaker, listener in (pair, pair[::-1]):
            other = self.stage.agent(listener).persona.name
            heard = remarks[-1][2].say if remarks else ""
            question = Argue(statement, sentences_of(text), self.scores[speaker], other, heard)
            reply = await lane.ask(self.stage.agent(speaker), question)
            if reply is not None:
                remarks.append((speaker, listener, reply))
        return remarks

    async def revise(self, passage: str) -> None:
        """Show the others' median rating to everyone who rated, and ask for a new rating."""
        text, statement = self.stage.world().chunk(passage).text, self.stage.config.statement
        own_weight, questions = self.stage.config.own_weight, []
        for agent in [a for a in self.stage.agents if a.id in self.scores and len(self.scores) > 1]:
            others = float(median(score for name, score in self.scores.items() if name != agent.id))
            told = self.told.get(agent.id, ("", ""))
            own = self.scores[agent.id]
            questions.append((agent, Revise(statement, passage, text, own, others, *told, own_weight)))
        for (agent, _), reply in zip(questions, await self.stage.ask_all(questions), strict=True):
            if reply is not None:
                self.keep(agent, passage, reply.score, revised=True)

    def keep(self, agent: Agent, passage: str, score: int, revised: bool) -> None:
        """Log a rating as an action and as a row in the table of ratings."""
        self.scores[agent.id] = score
        self.stage.act(agent, PassageRated(passage=passage, score=score, revised=revised))
        self.stage.row(
            "ratings", step=self.stage.step, reviewer=agent.id, passage=passage, score=score, revised=revised
        )

    def compute_view(self, agent: Agent) -> Stance:
        """Return the persona's stance in words; where it has none, the stance that its bio expresses."""
        own = agent.persona.stance
        return stance_word(stance(agent.persona.bio, self.stage.config.statement) if own is None else own)
