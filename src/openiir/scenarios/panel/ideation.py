"""Ideation rounds: pitch ideas, keep or kill them by votes, rank what is left."""

from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass

from openiir.kit.measures import borda, greedy_coverage
from openiir.plugin import Said, Step, int_sum
from openiir.plugin.arguments import cosine, tf_idf
from openiir.scenarios.panel.actions import RoundClosed, RoundOpened
from openiir.scenarios.panel.config import Round
from openiir.scenarios.panel.ideas import (
    NOTHING_MORE,
    Idea,
    Outcome,
    Pitch,
    PitchDispositions,
    Pitched,
    PitchFacts,
    PitchIdea,
    RankDispositions,
    Ranked,
    RankFacts,
    RankIdeas,
    Voted,
    VoteDispositions,
    VoteFacts,
    VoteOn,
)
from openiir.scenarios.panel.looking import cite, look_up_all
from openiir.scenarios.panel.prompting import Read, without_marks
from openiir.scenarios.panel.table import Panelist, Table

SAME_IDEA = 0.8
"""TF-IDF cosine from which two ideas are one."""


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
        return [name for name, votes in self.votes.items() if votes and 2 * int_sum(votes) > len(votes)]

    def idea(self, name: str) -> Idea:
        found = self.ideas[name]
        return Idea(id=name, title=found.title, text=without_marks(found.text), cited=bool(found.cites))


async def pitch(table: Table, round_: Round, last: bool) -> AsyncIterator[Step]:
    """Sweeps in which everybody pitches one idea, until each has pitched its share."""
    stage = table.stage
    stage.act(None, RoundOpened(name=round_.name, goal=round_.goal, cap=round_.turns))
    sweeps = 0
    while sweeps < round_.turns and ("quota" not in round_.until or sweeps < round_.each):
        sweeps += 1
        pool = Pool.of(table)
        people = [p for p in table.people if not p.agent.spent]
        texts = tuple(pool.idea(name).text for name in pool.ideas)
        matters = [f"{stage.config.topic} {' '.join(p.agent.persona.interests)}" for p in people]
        passages = await look_up_all(table, list(zip(people, matters, strict=True)))
        questions = [
            PitchIdea(
                PitchFacts(
                    stage.config.topic,
                    round_.goal,
                    table.stands(p),
                    tuple(Read(f.text) for f in found),
                    texts,
                ),
                PitchDispositions(round(table.stance_of(p), 4), found),
            )
            for p, found in zip(people, passages, strict=True)
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
        if reply is None or reply.title == NOTHING_MORE:
            continue
        marked, cites = cite(reply.text, question.dispositions.passages)
        text = without_marks(marked)
        name = f"i{len(pool.authors) + 1:03}"
        same = _same(text, known)
        action = Pitched(idea=name, title=reply.title, text=marked, cites=cites, merged_into=same)
        table.stage.act(person.agent, action)
        pool.authors[name] = person.agent.id
        if same is None:
            known[name] = text
            table.number += 1
            said = Said(marked, person.agent.id, table.number, table.stage.config.topic, None, cites)
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
                stage.act(person.agent, Voted(idea=question.subject, keep=reply.keep, reason=reply.reason))
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
        batch.append((able[voter], _vote_on(table, able[voter], pool, name, 1 - nearest)))
    return batch


def _vote_on(table: Table, person: Panelist, pool: Pool, name: str, novelty: float) -> VoteOn:
    idea, others = pool.idea(name), tuple(p.title for other, p in pool.ideas.items() if other != name)
    facts = VoteFacts(table.stage.config.topic, table.stands(person), idea.title, idea.text, others)
    stance, interests = round(table.stance_of(person), 4), person.agent.persona.interests
    return VoteOn(
        facts, VoteDispositions(stance, interests, 0.7 if idea.cited else 0.5, round(novelty, 4), name)
    )


async def rank(table: Table, round_: Round, last: bool) -> AsyncIterator[Step]:
    """Everybody ranks the ideas that were kept; Borda's count decides, ties by approvals, then id."""
    stage = table.stage
    stage.act(None, RoundOpened(name=round_.name, goal=round_.goal, cap=round_.turns))
    pool = Pool.of(table)
    kept = pool.kept()
    approvals = {name: int_sum(pool.votes[name]) for name in kept}
    ballots: list[tuple[str, ...]] = []
    if kept:
        people = [p for p in table.people if not p.agent.spent]
        ideas = tuple(pool.idea(name) for name in kept)
        questions = [
            RankIdeas(
                RankFacts(
                    stage.config.topic,
                    table.stands(p),
                    tuple(f"{idea.title}. {idea.text}" for idea in ideas),
                    tuple(approvals[name] for name in kept),
                ),
                RankDispositions(round(table.stance_of(p), 4), p.agent.persona.interests, ideas),
            )
            for p in people
        ]
        replies = await stage.ask_all(list(zip([p.agent for p in people], questions, strict=True)))
        for person, reply in zip(people, replies, strict=True):
            if reply is not None:
                order = tuple(kept[number - 1] for number in reply.order)
                stage.act(person.agent, Ranked(order=order))
                ballots.append(order)
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
