"""Ideation rounds: pitch ideas, keep or kill them by votes, rank what is left."""

from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count

from openiir.kit.measures import borda, greedy_coverage
from openiir.plugin import Step, int_sum, stance_word
from openiir.plugin.arguments import cosine, tf_idf
from openiir.scenarios.panel.behaviour.panelist import Panelist
from openiir.scenarios.panel.config import Round
from openiir.scenarios.panel.model.speaking.citations import cite, strip_marks
from openiir.scenarios.panel.questions.ideas import (
    NOTHING_MORE,
    Idea,
    PitchIdea,
    RankIdeas,
    VoteOn,
    vote_memory,
)
from openiir.scenarios.panel.questions.prompt_parts import ShownPassage
from openiir.scenarios.panel.run.actions import Pitched, RankedIdeas, RankingOutcome, Voted
from openiir.scenarios.panel.run.lookup import look_up
from openiir.scenarios.panel.run.table import PanelTable

SAME_IDEA = 0.8
"""TF-IDF cosine from which two ideas count as the same."""


@dataclass
class IdeaPool:
    """The ideas so far with their authors and votes, read from the log."""

    ideas: dict[str, Pitched]
    authors: dict[str, str]
    votes: dict[str, list[bool]]

    @classmethod
    def read(cls, table: PanelTable) -> "IdeaPool":
        """Read the ideas, their authors and votes from the log."""
        pitched = [(e.actor or "", p) for e, p in Pitched.read(table.stage.log)]
        ideas = {p.idea: p for _, p in pitched if p.merged_into is None}
        authors = {p.idea: actor for actor, p in pitched}
        votes: dict[str, list[bool]] = {name: [] for name in ideas}
        for _, vote in Voted.read(table.stage.log):
            votes[vote.idea].append(vote.keep)
        return cls(ideas, authors, votes)

    def list_kept_ideas(self) -> list[str]:
        """List the ideas that have a majority of their votes; ideas without votes are left out."""
        return [name for name, votes in self.votes.items() if votes and 2 * int_sum(votes) > len(votes)]

    def idea(self, name: str) -> Idea:
        found = self.ideas[name]
        return Idea(id=name, title=found.title, text=strip_marks(found.text), cited=bool(found.cites))


async def run_pitches(table: PanelTable, round_: Round) -> AsyncIterator[Step]:
    """Run a pitching round: each panelist pitches one idea at a time, up to its quota."""
    sweeps = 0
    while sweeps < round_.turns and ("quota" not in round_.until or sweeps < round_.each):
        sweeps += 1
        await _pitch_once(table, round_)
        yield Step(f"{round_.name}: sweep {sweeps}")
    reason = "everyone pitched" if sweeps >= round_.each else "the cap was reached"
    table.close_round(round_, reason, sweeps)


async def _pitch_once(table: PanelTable, round_: Round) -> None:
    """Ask for an idea each; log the pitches, merge equal ones, extract claims of new ones."""
    pool = IdeaPool.read(table)
    known = {name: p.text for name, p in pool.ideas.items()}
    titles = [p.title for p in pool.ideas.values()]
    for person, question, reply in await table.ask_all(await _pitch_questions(table, round_, pool)):
        if reply.title == NOTHING_MORE:
            continue
        marked, cites = cite(reply.text, question.quotable)
        text = strip_marks(marked)
        name = f"i{len(pool.authors) + 1:03}"
        same = _same_idea(text, known)
        action = Pitched(
            idea=name, title=unique_title(reply.title, titles), text=marked, cites=cites, merged_into=same
        )
        table.stage.act(person.agent, action)
        did = f'you pitched the idea "{action.title}"'
        table.remember(person, f"in the round {round_.name}", reply.thoughts, did)
        pool.authors[name] = person.agent.id
        if same is None:
            known[name] = text
            titles.append(action.title)
            table.number += 1
            await table.extract(person, table.number, marked, cites)


async def _pitch_questions(
    table: PanelTable, round_: Round, pool: IdeaPool
) -> list[tuple[Panelist, PitchIdea]]:
    topic, people = table.stage.config.topic, table.with_budget
    texts = tuple(pool.idea(name).text for name in pool.ideas)
    wanted = [(p, f"{topic} {' '.join(p.agent.persona.interests)}") for p in people]
    questions = []
    for person, found in zip(people, await look_up(table, round_, wanted), strict=True):
        question = PitchIdea(
            topic=topic,
            goal=round_.goal,
            stands=stance_word(person.stance),
            passages=tuple(ShownPassage(f.text) for f in found),
            pool=texts,
            notes=person.recall_notes(topic),
            stance=round(person.stance, 4),
            quotable=found,
        )
        questions.append((person, question))
    return questions


def unique_title(title: str, titles: Sequence[str]) -> str:
    """Return a unique title for an idea: numbered from 2 where it is taken."""
    taken = {other.casefold() for other in titles}
    numbered = (f"{title} ({number})" for number in count(2))
    return next(one for one in chain([title], numbered) if one.casefold() not in taken)


def _same_idea(text: str, known: Mapping[str, str]) -> str | None:
    """Return the earlier idea that says the same, or None; the most similar one, ties by id."""
    vectors = tf_idf([text, *known.values()])
    likeness = [(-cosine(vectors[0], v), name) for v, name in zip(vectors[1:], known, strict=True)]
    best = min(likeness, default=(0.0, ""))
    return best[1] if -best[0] >= SAME_IDEA else None


async def run_votes(table: PanelTable, round_: Round) -> AsyncIterator[Step]:
    """Run a voting round: one more vote on each idea per sweep, by whoever voted least, not the author."""
    sweeps, reason = 0, "the cap was reached"
    while sweeps < round_.turns:
        pool = IdeaPool.read(table)
        batch = _ballots(table, round_, pool)
        if not batch:
            reason = f"every idea has {round_.each} votes" if pool.ideas else "there are no ideas"
            break
        sweeps += 1
        for person, question, reply in await table.ask_all(batch):
            vote = Voted(idea=question.subject, keep=reply.keep, reason=reply.reason)
            table.stage.act(person.agent, vote)
            did = vote_memory(question.title, reply.keep, reply.reason)
            table.remember(person, f"in the round {round_.name}", reply.thoughts, did)
        yield Step(f"{round_.name}: sweep {sweeps}")
    table.close_round(round_, reason, sweeps)


def _ballots(table: PanelTable, round_: Round, pool: IdeaPool) -> list[tuple[Panelist, VoteOn]]:
    """Choose one voter for each idea that lacks votes; the order among equals is drawn."""
    draw = table.stage.draw("panel.voter")
    able = {p.agent.id: p for p in table.with_budget}
    given = {(e.actor, v.idea) for e, v in Voted.read(table.stage.log)}
    load, batch = Counter(voter for voter, _ in given), []
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


def _vote_on(table: PanelTable, person: Panelist, pool: IdeaPool, name: str, novelty: float) -> VoteOn:
    idea, others = pool.idea(name), tuple(p.title for other, p in pool.ideas.items() if other != name)
    return VoteOn(
        topic=table.stage.config.topic,
        stands=stance_word(person.stance),
        title=idea.title,
        text=idea.text,
        others=others,
        notes=person.recall_notes(f"{idea.title} {idea.text}"),
        stance=round(person.stance, 4),
        interests=person.agent.persona.interests,
        support=0.7 if idea.cited else 0.5,
        novelty=round(novelty, 4),
        idea=name,
    )


async def run_ranking(table: PanelTable, round_: Round) -> AsyncIterator[Step]:
    """Run a ranking round of the kept ideas by Borda count, ties by approvals, then id."""
    pool = IdeaPool.read(table)
    kept = pool.list_kept_ideas()
    approvals = {name: int_sum(pool.votes[name]) for name in kept}
    ballots: list[tuple[str, ...]] = []
    for person, _, reply in await table.ask_all(_rank_questions(table, pool, approvals)):
        order = tuple(kept[number - 1] for number in reply.order)
        table.stage.act(person.agent, RankedIdeas(order=order))
        ballots.append(order)
        table.remember(person, f"in the round {round_.name}", reply.thoughts)
    best = borda(ballots, kept, approvals)[: round_.each]
    covers = {name: {c.chunk for c in pool.ideas[name].cites} for name in kept}
    outcome = RankingOutcome(
        ideas=tuple(name for name, _ in best),
        points=tuple(points for _, points in best),
        shortfall=round_.each - len(best),
        by_coverage=tuple(greedy_coverage(covers, round_.each)),
    )
    table.stage.act(None, outcome)
    table.close_round(round_, f"{len(best)} ideas remain", 1)
    yield Step(f"{round_.name}: ranked")


def _rank_questions(
    table: PanelTable, pool: IdeaPool, approvals: Mapping[str, int]
) -> list[tuple[Panelist, RankIdeas]]:
    """Build one ranking question for every panelist with budget left; none where no idea was kept."""
    topic, ideas = table.stage.config.topic, tuple(pool.idea(name) for name in approvals)
    questions = []
    for person in table.with_budget if ideas else ():
        question = RankIdeas(
            topic=topic,
            stands=stance_word(person.stance),
            ideas=tuple(f"{idea.title}. {idea.text}" for idea in ideas),
            approvals=tuple(approvals.values()),
            notes=person.recall_notes(f"{topic} {' '.join(idea.title for idea in ideas)}"),
            stance=round(person.stance, 4),
            interests=person.agent.persona.interests,
            pool=ideas,
        )
        questions.append((person, question))
    return questions
