"""The type of study: its configuration and events, and what happens in an hour."""

from typing import Literal

import numpy as np
from pydantic import Field

from new_type.metrics import SURFACES, Posted, Reacted, society_measures
from new_type.questions import AGREE, LIKE, OBJECT, React, Temper
from openiir.kit.networks import block_graph
from openiir.plugin import (
    STANCES,
    ClaimSource,
    ConfigTable,
    DepartureEvent,
    Members,
    MemoryPool,
    PromotionEvent,
    Scenario,
    Step,
    stance_word,
    texts_in_order,
)

NEIGHBOUR = "neighbour"
UNWORDED = {"for": "I agree: {}", "against": "I disagree with this: {}"}
"""What those say who answer a post and are not asked for words."""


class NewTypeConfig(ConfigTable):
    """The `[config]` table of a study."""

    statement: str = Field(min_length=8, max_length=200)
    """What people post about."""
    members: int = Field(40, ge=20, le=20_000)
    """Number of members, personas included."""
    hours: int = Field(24, ge=1, le=1_000)
    """Number of steps, an hour each."""
    following: int = Field(8, ge=1, le=100)
    """How many others a member follows, on average; four in five start on its own side."""
    attention: float = Field(0.4, ge=0, le=1)
    """Chance that a member reads a post within an hour; delays are exponential."""
    temper: Temper = Temper()


class Post(ConfigTable):
    """Somebody posts this."""

    member: str
    """Id of the author."""
    text: str = Field(min_length=1, max_length=280)
    side: Literal["for", "against"]
    """What it says about the statement."""


class NewTypeStudy(Scenario):
    """Neighbours read, like and answer posts about a statement, hour by hour."""

    name = "new-type"
    Config = NewTypeConfig
    structural = frozenset({"statement", "members", "following"})
    events = {"post": Post, "promote": PromotionEvent, "leave": DepartureEvent}
    remembers = shares = True
    audited = {"hours": 12, "following": 16, "temper.answer": 0.1}  # the cast has posts to remember

    def actions(self):
        return (Posted, Reacted)

    def planned_steps(self, config):
        return [f"hour {n}" for n in range(1, config.hours + 1)]

    def check(self, config, personas):
        list_members(config, personas)

    def check_events(self, config, events, personas):
        for _, event in events:
            list_members(config, personas).row(event.member)

    async def schedule(self, stage):
        society = Society(stage)
        await stage.restore_memories(society.memories)
        while stage.step <= stage.config.hours:
            await society.live()
            stage.keep(society.memories)
            yield Step(f"hour {stage.step}", at=stage.clock + 60)

    def metrics(self, log):
        return society_measures(log)

    def surfaces(self):
        return SURFACES


def list_members(config, personas):
    """Return the members; raises InputError if there are more personas than members."""
    return Members(config.members, NEIGHBOUR, dict(enumerate(personas)))


class Society:
    """Members, whom they follow, where they stand, what the cast remembers; all else is in the log."""

    def __init__(self, stage):
        self.stage, self.people = stage, stage.population(stage.config.members, NEIGHBOUR)
        self.pool, draw = MemoryPool(), stage.draw("new-type.start", step=0)
        start = draw.below(len(STANCES), agent=np.arange(self.people.size))
        for row, persona in self.people.personas.items():
            if persona.stance is not None:
                start[row] = STANCES.index(stance_word(persona.stance))
        self.followers = block_graph(start > 3, draw.at("follows"), stage.config.following, 0.8).followers
        self.stance = self.people.column("stance", start)
        self.memories = {agent.id: self.pool.memory(agent.persona) for agent in stage.agents}

    async def live(self):
        """Let an hour pass: members read what earlier hours brought, after the events of this one."""
        stage, people, topic = self.stage, self.people, self.stage.config.statement
        self.posts, self.read = [post for _, post in Posted.read(stage.log)], Reacted.columns(stage.log)
        old = tuple(self.posts)
        for event in stage.events:
            row = people.row(event.member)
            if isinstance(event, Post):
                self.publish(row, event.side, event.text)
            elif agent := stage.apply(event):
                self.memories[agent.id] = self.pool.memory(agent.persona)
                for number in self.read["post"][self.read["member"] == row].tolist():
                    self.remember(row, self.posts[number - 1])
        for post in old:
            await self.spread(post)
        first = {claim.utterance: claim.id for claim in reversed(stage.claims)}
        said = [(p.text, people.id(p.member), p.number, topic, first.get(p.parent)) for p in self.posts]
        await stage.extract_all([ClaimSource(*one) for one in said[len(old) :]])
        sides = np.bincount(np.sign(self.stance[people.rows] - 3) + 1, minlength=3).tolist()
        stage.row("sides", step=stage.step, against=sides[0], undecided=sides[1], favour=sides[2])

    def publish(self, row, side, text, parent=0):
        """Log a post, or an answer to one."""
        post = Posted(number=len(self.posts) + 1, parent=parent, member=row, side=side, text=text)
        self.stage.act(self.people.id(row), post)
        self.posts.append(post)
        self.remember(row, post)

    async def spread(self, post):
        """Draw who reads a post this hour, ask them what they do with it, and let them do it."""
        stage, config = self.stage, self.stage.config
        own = self.read["post"] == post.number
        likes = self.read["member"][own & (self.read["does"] == LIKE)]
        by = np.append(post.member, likes)  # the followers of these are shown the post, each by the first
        share, link = self.followers.expand(by)
        rows, first = np.unique(self.followers.member[link], return_index=True)
        new = self.people.present[rows] & ~np.isin(rows, [post.member, *self.read["member"][own]])
        new &= stage.draw("new-type.reads", item=post.number).chance(config.attention, agent=rows)
        rows, by = rows[new], by[share[first[new]]]

        def see(n):
            memory = self.memories[self.people.id(rows[n])].recall(post.text, 4)
            return {
                "statement": config.statement,
                "stands": STANCES[self.stance[rows[n]]],
                "remembered": texts_in_order(memory),
                "author": self.people.name(post.member),
                "text": post.text,
                "likes": len(likes),
            }

        target = len(STANCES) - 1 if post.side == "for" else 0
        columns = {"distance": abs(target - self.stance[rows])}
        asked = {"rows": rows, "subject": f"post {post.number}", "behaviour": config.temper}
        answers = await stage.ask_crowd(React, self.people, columns, see, **asked)
        moved = np.sign(target - self.stance[rows]) * np.array([0, 1, -1])[answers["moves"]]
        self.stance[rows] = np.clip(self.stance[rows] + moved, 0, len(STANCES) - 1)
        stage.act_all(Reacted, rows, post=post.number, by=by, does=answers["does"], moved=moved)
        for row, does in zip(rows.tolist(), answers["does"].tolist(), strict=True):
            self.remember(row, post)
            if does in (AGREE, OBJECT):
                side = post.side if does == AGREE else "against" if post.side == "for" else "for"
                words = row in answers.replies and answers.replies[row].says
                self.publish(row, side, words or UNWORDED[side].format(config.statement), post.number)

    def remember(self, row, post):
        """Let a member remember a post, if it is one of the cast."""
        if row in self.people.agents:
            who = "You" if row == post.member else self.people.name(post.member)
            self.memories[self.people.id(row)].store(f'{who} posted: "{post.text}"')
