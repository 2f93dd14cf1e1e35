"""Ideation rounds: pitch ideas, keep or kill them by votes, rank what is left."""

from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from pydantic import Field

from openiir.kit.measures import borda, greedy_coverage
from openiir.plugin import Action, Citation, Draw, Question, Record, Said, Step, UnusableAnswer, quantise
from openiir.plugin.arguments import containment, cosine, stance, tf_idf, tokens
from openiir.scenarios.panel.actions import RoundClosed, RoundOpened
from openiir.scenarios.panel.config import Round
from openiir.scenarios.panel.quoting import proposal_for
from openiir.scenarios.panel.table import Panelist, Table
from openiir.scenarios.panel.talk import _citations as citations
from openiir.scenarios.panel.talk import _look_up as look_up
from openiir.scenarios.panel.utterances import Passage
from openiir.scenarios.panel.wording import matter_of

SAME_IDEA = 0.8
"""TF-IDF cosine from which two ideas are one."""
VOTE = {"affinity": 1.2, "support": 0.8, "novelty": 0.5, "threshold": 0.9}
"""Weights of the vote's logit; our design."""


class Idea(Record):
    """An idea of the pool."""

    id: str
    title: str
    text: str
    cited: bool


class Pitch(Record):
    """A new idea."""

    title: str = Field(min_length=1, max_length=120)
    text: str = Field(min_length=1, max_length=800)
    cites: tuple[str, ...] = Field(default=(), max_length=4)


class Vote(Record):
    """Keep or kill."""

    keep: bool
    reason: str = Field(default="", max_length=400)


class Ranking(Record):
    """All ideas, the best first."""

    order: tuple[str, ...] = Field(min_length=1, max_length=200)


class Pitched(Action):
    """An idea was pitched; one that says the same as an earlier one is merged into it."""

    kind: ClassVar[str] = "panel.pitch"
    idea: str
    title: str
    text: str
    cites: tuple[Citation, ...]
    merged_into: str | None


class Voted(Action):
    """A vote on an idea."""

    kind: ClassVar[str] = "panel.vote"
    idea: str
    keep: bool
    reason: str


class Ranked(Action):
    """A panelist's ranking."""

    kind: ClassVar[str] = "panel.rank"
    order: tuple[str, ...]


class Outcome(Action):
    """The ideas that remain, best first, with Borda points; fewer than wanted is said, never padded."""

    kind: ClassVar[str] = "panel.outcome"
    ideas: tuple[str, ...]
    points: tuple[float, ...]
    shortfall: int
    by_coverage: tuple[str, ...]
    """The ideas that a greedy cover of the cited passages would choose."""


@dataclass(frozen=True)
class PitchIdea(Question[Pitch]):
    """What is your idea?"""

    topic: str
    goal: str
    stance: float
    passages: tuple[Passage, ...]
    pool: tuple[str, ...]
    """Ideas pitched so far; not to be repeated."""
    kind: ClassVar[str] = "panel.pitch"
    Reply: ClassVar[type[Record]] = Pitch

    def prompt(self) -> str:
        passages = "\n".join(f"[{p.id}] {p.text}" for p in self.passages) or "(none)"
        pool = "\n".join(f"- {text}" for text in self.pool) or "(none yet)"
        return f"""Topic: {self.topic}
{self.goal}
You stand at {self.stance:+.2f} on the topic (-1 against, +1 for).

Passages you found:
{passages}

Ideas so far; do not repeat them:
{pool}

Pitch one new idea: a short title, and one to three sentences that say what to do and why, resting on the passages \
(mark them with their ids, such as [c0012])."""

    def offline(self, draw: Draw) -> Pitch:
        """The best proposal among the passages' sentences (those that say what could or should be done first)."""
        found = proposal_for(self.topic, self.goal, self.stance, self.passages, self.pool)
        if found is None:
            return Pitch(title="No further idea", text="I have nothing to add to what was pitched.")
        text, cites = found
        title = matter_of(text)
        return Pitch(title=title[:1].upper() + title[1:], text=text, cites=cites)

    def check(self, reply: Pitch) -> None:
        known = [p.id for p in self.passages]
        for cite in reply.cites:
            if cite not in known:
                raise UnusableAnswer(f"passage {cite!r} was not shown; cite only: {', '.join(known) or 'nothing'}")


@dataclass(frozen=True)
class VoteOn(Question[Vote]):
    """Keep or kill this idea?"""

    topic: str
    stance: float
    interests: tuple[str, ...]
    idea: Idea
    support: float
    """Strength of the claims the idea makes, 0 to 1."""
    novelty: float
    """1 minus its likeness to the nearest earlier idea."""
    kind: ClassVar[str] = "panel.vote"
    Reply: ClassVar[type[Record]] = Vote

    @property
    def subject(self) -> str:
        return self.idea.id

    def prompt(self) -> str:
        return f"""Topic: {self.topic}
You stand at {self.stance:+.2f} on the topic and care about: {", ".join(self.interests) or "nothing in particular"}.

Idea {self.idea.id}: {self.idea.title}
{self.idea.text}
Its argument has strength {self.support:.2f} of 1; its novelty among the ideas is {self.novelty:.2f} of 1.

Keep it or kill it? Vote, with a reason of one sentence."""

    def offline(self, draw: Draw) -> Vote:
        """A logit of affinity, support and novelty (random utility, McFadden 1974; weights our design)."""
        logit = appeal(self) - VOTE["threshold"]
        keep = logit + draw.gumbel(item=f"{self.idea.id}/keep") > draw.gumbel(item=f"{self.idea.id}/kill")
        return Vote(keep=bool(keep), reason=_reason(self, bool(keep)))


def appeal(view: "VoteOn") -> float:
    """The idea's utility to a voter: agreement with its stance, overlap with its interests, support, novelty."""
    affinity = 0.5 * _agreement(view) + 0.5 * containment(tokens(" ".join(view.interests)), tokens(view.idea.text))
    value = VOTE["affinity"] * affinity + VOTE["support"] * view.support + VOTE["novelty"] * view.novelty
    return float(quantise(value, 4.0))


def _agreement(view: VoteOn) -> float:
    return view.stance * stance(view.idea.text, view.topic)


def _reason(view: VoteOn, keep: bool) -> str:
    """What weighed most, in words."""
    touched = [i for i in view.interests if containment(tokens(i), tokens(view.idea.text)) == 1]
    if keep:
        if touched:
            return f"It bears on {touched[0]}, which I care about."
        if _agreement(view) > 0.1:
            return "It moves things the way I think they should go."
        return "It is well supported." if view.support >= 0.6 else "Nobody else proposed anything like it."
    if view.novelty < 0.5:
        return "Something much like it is on the table."
    if _agreement(view) < -0.1:
        return "It pulls in the wrong direction."
    return f"It says nothing on {view.interests[0]}." if view.interests and not touched else "It is not worth a place."


@dataclass(frozen=True)
class RankIdeas(Question[Ranking]):
    """In which order do you like these ideas?"""

    topic: str
    stance: float
    interests: tuple[str, ...]
    ideas: tuple[Idea, ...]
    approvals: tuple[int, ...]
    """Votes to keep each of them."""
    kind: ClassVar[str] = "panel.rank"
    Reply: ClassVar[type[Record]] = Ranking

    def prompt(self) -> str:
        ideas = "\n".join(
            f"{idea.id} ({n} approvals): {idea.title}. {idea.text}"
            for idea, n in zip(self.ideas, self.approvals, strict=True)
        )
        return f"""Topic: {self.topic}
You stand at {self.stance:+.2f} on the topic and care about: {", ".join(self.interests) or "nothing in particular"}.

{ideas}

Rank all {len(self.ideas)} ideas by their ids, the best first."""

    def offline(self, draw: Draw) -> Ranking:
        """A Plackett-Luce ranking by the vote's utilities, with approvals as support (Luce 1959)."""
        most = max(self.approvals, default=0) or 1
        scored = []
        for idea, approvals in zip(self.ideas, self.approvals, strict=True):
            view = VoteOn(self.topic, self.stance, self.interests, idea, approvals / most, 1.0)
            noise = draw.gumbel(item=f"rank/{idea.id}")
            scored.append((-float(quantise(2 * appeal(view) + noise, 64.0)), idea.id))
        return Ranking(order=tuple(name for _, name in sorted(scored)))

    def check(self, reply: Ranking) -> None:
        known = sorted(idea.id for idea in self.ideas)
        if sorted(reply.order) != known:
            raise UnusableAnswer(f"rank each of these once and nothing else: {', '.join(known)}")


@dataclass
class Pool:
    """The ideas so far, as the log tells them."""

    ideas: dict[str, Pitched]
    authors: dict[str, str]
    votes: dict[str, list[bool]]
    voters: Counter[str]

    @classmethod
    def of(cls, table: Table) -> "Pool":
        pitched = [(e.actor or "", p) for e, p in Pitched.read(table.stage.log)]
        ideas = {p.idea: p for _, p in pitched if p.merged_into is None}
        authors = {p.idea: actor for actor, p in pitched}
        votes: dict[str, list[bool]] = {name: [] for name in ideas}
        voters: Counter[str] = Counter()
        for event, vote in Voted.read(table.stage.log):
            votes[vote.idea].append(vote.keep)
            voters[event.actor or ""] += 1
        return cls(ideas, authors, votes, voters)

    def kept(self) -> list[str]:
        """Ideas with a majority of their votes; those nobody voted on are not among them."""
        return [name for name, votes in self.votes.items() if votes and 2 * sum(votes) > len(votes)]

    def idea(self, name: str) -> Idea:
        found = self.ideas[name]
        return Idea(id=name, title=found.title, text=found.text, cited=bool(found.cites))


async def pitch(table: Table, round_: Round, last: bool) -> AsyncIterator[Step]:
    """Sweeps in which everybody pitches one idea, until each has pitched its share."""
    stage = table.stage
    stage.act(None, RoundOpened(name=round_.name, goal=round_.goal, cap=round_.turns))
    sweeps = 0
    while sweeps < round_.turns and ("quota" not in round_.until or sweeps < round_.each):
        sweeps += 1
        pool = Pool.of(table)
        people = [p for p in table.people if not p.agent.spent]
        texts = tuple(p.text for p in pool.ideas.values())
        questions = [
            PitchIdea(
                topic=stage.config.topic,
                goal=round_.goal,
                stance=round(table.stance_of(p), 4),
                passages=await look_up(table, p, f"{stage.config.topic} {' '.join(p.agent.persona.interests)}", None),
                pool=texts,
            )
            for p in people
        ]
        replies = await stage.ask_all(list(zip([p.agent for p in people], questions, strict=True)))
        await _pool(table, people, questions, replies, pool)
        yield Step(f"{round_.name}: sweep {sweeps}")
    reason = "everyone pitched" if sweeps >= round_.each else "the cap was reached"
    stage.act(None, RoundClosed(name=round_.name, reason=reason, turns=sweeps))


async def _pool(
    table: Table,
    people: Sequence[Panelist],
    questions: Sequence[PitchIdea],
    replies: Sequence[Pitch | None],
    pool: Pool,
) -> None:
    """Log the pitches, merging those that say the same, and extract the claims of the new ones."""
    known = {name: p.text for name, p in pool.ideas.items()}
    for person, question, reply in zip(people, questions, replies, strict=True):
        if reply is None or not reply.cites and reply.title == "No further idea":
            continue
        name = f"i{len(pool.authors) + 1:03}"
        same = _same(reply.text, known)
        cites = citations(question.passages, reply.cites, reply.text)
        action = Pitched(idea=name, title=reply.title, text=reply.text, cites=cites, merged_into=same)
        table.stage.act(person.agent, action)
        pool.authors[name] = person.agent.id
        if same is None:
            known[name] = reply.text
            table.number += 1
            said = Said(reply.text, person.agent.id, table.number, table.stage.config.topic, None, cites)
            await table.stage.extract(said)


def _same(text: str, known: Mapping[str, str]) -> str | None:
    """The earlier idea that says the same, if there is one; the nearest, ties by id."""
    vectors = tf_idf([text, *known.values()])
    likeness = [(-cosine(vectors[0], v), name) for v, name in zip(vectors[1:], known, strict=True)]
    best = min(likeness, default=(0.0, ""))
    return best[1] if -best[0] >= SAME_IDEA else None


async def vote(table: Table, round_: Round, last: bool) -> AsyncIterator[Step]:
    """Sweeps in which each idea gets one more vote, by whoever voted least and did not pitch it."""
    stage = table.stage
    stage.act(None, RoundOpened(name=round_.name, goal=round_.goal, cap=round_.turns))
    sweeps, reason = 0, "the cap was reached"
    while sweeps < round_.turns:
        pool = Pool.of(table)
        batch = _ballots(table, round_, pool)
        if not batch:
            reason = f"every idea has {round_.each} votes" if pool.ideas else "there are no ideas"
            break
        sweeps += 1
        replies = await stage.ask_all([(person.agent, question) for person, question in batch])
        for (person, question), reply in zip(batch, replies, strict=True):
            if reply is not None:
                stage.act(person.agent, Voted(idea=question.idea.id, keep=reply.keep, reason=reply.reason))
        yield Step(f"{round_.name}: sweep {sweeps}")
    stage.act(None, RoundClosed(name=round_.name, reason=reason, turns=sweeps))


def _ballots(table: Table, round_: Round, pool: Pool) -> list[tuple[Panelist, VoteOn]]:
    """One voter for each idea that lacks votes; the order among equals is drawn."""
    draw = table.stage.draw("panel.voter")
    able = {p.agent.id: p for p in table.people if not p.agent.spent}
    given = {(e.actor, v.idea) for e, v in Voted.read(table.stage.log)}
    load, batch = Counter(pool.voters), []
    names = list(pool.ideas)
    vectors = dict(zip(names, tf_idf([pool.ideas[n].text for n in names]), strict=True))
    for at, name in enumerate(names):
        if len(pool.votes[name]) >= round_.each:
            continue
        free = [v for v in able if v != pool.authors[name] and (v, name) not in given]
        if not free:
            continue
        voter = min(draw.order(free, item=name), key=lambda v: load[v])
        load[voter] += 1
        nearest = max((cosine(vectors[name], vectors[n]) for n in names[:at]), default=0.0)
        batch.append((able[voter], _vote_on(table, able[voter], pool.idea(name), 1 - nearest)))
    return batch


def _vote_on(table: Table, person: Panelist, idea: Idea, novelty: float) -> VoteOn:
    return VoteOn(
        topic=table.stage.config.topic,
        stance=round(table.stance_of(person), 4),
        interests=person.agent.persona.interests,
        idea=idea,
        support=0.7 if idea.cited else 0.5,
        novelty=round(novelty, 4),
    )


async def rank(table: Table, round_: Round, last: bool) -> AsyncIterator[Step]:
    """Everybody ranks the ideas that were kept; Borda's count decides, ties by approvals, then id."""
    stage = table.stage
    stage.act(None, RoundOpened(name=round_.name, goal=round_.goal, cap=round_.turns))
    pool = Pool.of(table)
    kept = pool.kept()
    approvals = {name: sum(pool.votes[name]) for name in kept}
    ballots: list[tuple[str, ...]] = []
    if kept:
        people = [p for p in table.people if not p.agent.spent]
        ideas = tuple(pool.idea(name) for name in kept)
        questions = [
            RankIdeas(
                topic=stage.config.topic,
                stance=round(table.stance_of(p), 4),
                interests=p.agent.persona.interests,
                ideas=ideas,
                approvals=tuple(approvals[name] for name in kept),
            )
            for p in people
        ]
        replies = await stage.ask_all(list(zip([p.agent for p in people], questions, strict=True)))
        for person, reply in zip(people, replies, strict=True):
            if reply is not None:
                stage.act(person.agent, Ranked(order=reply.order))
                ballots.append(reply.order)
    best = borda(ballots, kept, approvals)[: round_.each]
    covers = {name: {c.chunk for c in pool.ideas[name].cites} for name in kept}
    stage.act(
        None,
        Outcome(
            ideas=tuple(name for name, _ in best),
            points=tuple(points for _, points in best),
            shortfall=round_.each - len(best),
            by_coverage=tuple(greedy_coverage(covers, round_.each)),
        ),
    )
    stage.act(None, RoundClosed(name=round_.name, reason=f"{len(best)} ideas remain", turns=1))
    yield Step(f"{round_.name}: ranked")
