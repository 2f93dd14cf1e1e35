"""What happens in a round: members post, are shown posts, react, and remember."""

from typing import Any

import numpy as np

from openiir.kit.activity import draw_counts
from openiir.kit.arrays import Floats, Ints
from openiir.kit.posts import ACTIONS, PostKind, Posts, ReactionModel, SeenPosts
from openiir.plugin import (
    ClaimSource,
    Columns,
    DepartureEvent,
    Draw,
    EpisodicMemory,
    PromotionEvent,
    Record,
    Stage,
    quantise,
)
from openiir.scenarios.social_media.actions import Exposed, Injected
from openiir.scenarios.social_media.config import PostEvent
from openiir.scenarios.social_media.exposures import Due, Pages, PendingExposures, lay_out, number_within
from openiir.scenarios.social_media.members import MemberTraits, draw_writing
from openiir.scenarios.social_media.platform_state import PlatformState
from openiir.scenarios.social_media.questions import COMMENT, REPOST, React, ReaderModel
from openiir.scenarios.social_media.writing import WROTE, Writer

USER = "user"


class Society:
    """The members, their posts, and what is still to be shown."""

    def __init__(self, stage: Stage) -> None:
        config = stage.config
        self.stage, self.people = stage, stage.population(config.members, USER)
        start = stage.draw("social_media.start", step=0)
        later = {event.payload["row"] for event in stage.log.events("promoted")}
        cast = {row: persona for row, persona in self.people.personas.items() if row not in later}
        self.traits = MemberTraits(config, cast, start)
        self.stance = self.people.column("stance", self.traits.start)
        self.posts = Posts(len(config.topics), stage.restored)
        end = config.rounds * config.minutes
        self.pending = PendingExposures(self.traits, end, stage.restored)
        self.seen = SeenPosts(stage.restored["seen"] if stage.restored else None)
        self.platform = PlatformState(stage)
        self.writer = Writer(stage, self.people, self.posts, self.platform)
        self._delay = stage.draw("social_media.delay", step=0)
        self._fitted: tuple[Any, ReactionModel, float] | None = None
        if stage.restored is None:
            self._log_follows()

    @property
    def memories(self) -> dict[str, EpisodicMemory]:
        return self.writer.memories

    def state(self) -> dict[str, Any]:
        """Return the arrays of a checkpoint."""
        return {**self.posts.state(), **self.pending.state(), "seen": self.seen.state()}

    async def live(self) -> None:
        """Let a round pass: what the study schedules, then posts, then reading in waves.

        In a wave, everybody reads what is due for it by the end of the round; what is reposted then and falls due
        within the round is read in the next.
        """
        looks: list[Columns] = []
        first = len(self.posts)
        for event in self.stage.events:
            self._apply(event)
        await self._post()
        while len((due := self._take_due())["post"]):
            looks.append(await self._read(due, len(looks)))
        texts = {id: text for id, text in self.posts.texts.items() if id >= first}
        first_claims = {claim.utterance: claim.id for claim in reversed(self.stage.claims)}
        parents, authors = self.posts["parent"], self.posts["author"]
        await self.stage.extract_all([
            ClaimSource(text, self.people.id(authors[id]), id, self.stage.config.statement, first_claims.get(parents[id]))
            for id, text in texts.items()
        ])  # fmt: skip
        if len(self.posts) > first:
            rows: Any = self.posts.table(first)
            self.stage.columns("posts", rows)
        self._log_round(first, looks)

    def _apply(self, event: Record) -> None:
        """Let a scheduled event happen."""
        if isinstance(event, PostEvent):
            row, start = self.people.row(event.member), float(self.stage.clock)
            gap = self._fit()[1] if event.veracity == "false" else 0.0
            (id,) = self._publish(
                np.array([row]), np.array([start]), [event.text], topics=self.traits.interests[[row]],
                valence=event.valence, novelty=min(1.0, event.novelty + gap), arousal=min(1.0, event.arousal + gap),
            )  # fmt: skip
            self.stage.act(
                self.people.id(row), Injected(name=event.post, post=int(id), veracity=event.veracity or "")
            )
            self.platform.posts[event.post] = int(id)
        elif isinstance(event, PromotionEvent | DepartureEvent):
            if agent := self.stage.apply(event):
                self.writer.recall_history(agent)
        else:
            self.platform.hold(self.stage.step, event)

    def _fit(self) -> tuple[ReactionModel, float]:
        """Calibrate reactions, anew where a change of the configuration asks for it."""
        config = self.stage.config
        key = config.model_copy(update={"ranker": "", "gamma": 0.0, "attention": 0.0})
        if self._fitted is None or self._fitted[0] != key:
            self._fitted = (key, *self.traits.fit_reactions(config))
        return self._fitted[1:]

    async def _post(self) -> None:
        """Let members post by their rates and hours; the cast in words."""
        stage, config, people = self.stage, self.stage.config, self.people
        rows, draw = people.rows, stage.draw("social_media.post")
        expected = self.traits.expect_posts(config, float(stage.clock))
        expected *= self.platform.activity(stage.step)
        author = np.repeat(rows, draw_counts(draw.at("count"), rows, expected[rows]))
        number = number_within(author)
        each = draw.at(agent=author, item=number)
        minute = quantise(stage.clock + config.minutes * each.at("born").uniform(), 2.0**10)
        order = np.lexsort((author, minute))
        author, minute = author[order], minute[order]
        each = draw.at(agent=author, item=number[order])
        content = draw_writing(config, self.stance[author], self.traits.bias[author], each)
        content["topics"] = self.traits.interests[author]
        await self._write(author, minute, content, np.full(len(author), -1), each)

    async def _write(
        self, author: Ints, minute: Floats, content: dict[str, Floats], parent: Ints, draw: Draw
    ) -> None:
        """Publish posts or comments: the cast's in words, the crowd's in numbers or, for a share of them, made words."""
        if not len(author):
            return
        worded = draw.at("worded").chance(self.stage.config.writing.worded)
        topic = content["topics"].argmax(axis=1)
        texts, content["valence"] = await self.writer.write(
            author, parent, topic, content["valence"], self.stance[author], minute
        )
        for n in np.flatnonzero(worded).tolist():
            made = self.writer.word(len(self.posts) + n, topic[n], content["valence"][n])
            texts[n] = texts[n] or made
        kind = np.where(parent < 0, PostKind.POST, PostKind.COMMENT)
        self._publish(author, minute, texts, kind=kind, parent=parent, **content)

    def _publish(self, author: Ints, minute: Floats, texts: list[str | None], **columns: Any) -> Ints:
        """Add posts or comments and let followers, and the author of what is commented on, be shown them."""
        ids = self.posts.add(author, step=self.stage.step, minute=minute, texts=texts, **columns)
        self.seen.add(author, ids)
        self.pending.show(author, ids, ids, minute, self._delay)
        answers = self.posts["parent"][ids] >= 0
        asked = self.posts["author"][self.posts["parent"][ids[answers]]]
        self.pending.show_to(asked, author[answers], ids[answers], ids[answers], minute[answers], self._delay)
        for row, text in zip(author.tolist(), texts, strict=True):
            if text is not None:
                self.writer.remember(row, f'{WROTE}"{text}"')
        return ids

    def _take_due(self) -> Due:
        """Take what is due in the round, but what was removed, is seen already, or is for members who have left."""
        due = self.pending.take(float(self.stage.clock + self.stage.config.minutes))
        kept = self.people.present[due["reader"]] & ~self.platform.is_removed(due["post"])
        kept &= ~self.seen.contains(due["reader"], due["post"])
        due = {name: column[kept] for name, column in due.items()}
        first = np.unique(due["reader"] * (len(self.posts) + 1) + due["post"], return_index=True)[1]
        return {name: column[first] for name, column in due.items()}

    async def _read(self, due: Due, wave: int) -> Columns:
        """Let members look at pages of what is due, react and be moved; returns the looks that are logged."""
        stage, config = self.stage, self.stage.config
        end = float(stage.clock + config.minutes)
        pages = lay_out(due, config, self.posts, self.traits, end, stage.draw(f"social_media.page.{wave}"))
        answers = await stage.ask_crowd(
            React, self.people, self._describe(pages), lambda n: self.writer.show_page(pages, n, self.stance),
            rows=pages.readers, subject=f"page {wave + 1}", behaviour=ReaderModel(self._fit()[0], config.beliefs),
        )  # fmt: skip
        unanswered = [row for row, reply in answers.replies.items() if reply is None]
        moved = np.where(np.isin(pages.readers, unanswered), self.stance[pages.readers], answers["stance"])
        self.stance[pages.readers] = moved
        for n, row in enumerate(pages.readers.tolist()):
            if row in self.people.agents:
                self.writer.remember_page(pages, n)
        row, place = np.nonzero(pages.posts >= 0)
        did = answers["does"][row, place]
        looks = {
            "post": pages.posts[row, place], "shown_by": pages.by[row, place], "rank": place + 1,
            "minute": pages.minutes[row, place], "did": did,
        }  # fmt: skip
        readers = pages.readers[row]
        stage.act_all(Exposed, readers, **looks)
        self.seen.add(readers, looks["post"])
        self.posts.count_reactions("shown", looks["post"])
        for name, kind in (("likes", "like"), ("dislikes", "dislike")):
            self.posts.count_reactions(name, looks["post"][did == ACTIONS.index(kind)])
        self._repost(readers, looks, did == REPOST)
        await self._comment(readers, looks, did == COMMENT)
        return looks

    def _describe(self, pages: Pages) -> dict[str, Any]:
        """Collect what the behaviour model reads of readers and of the posts on their pages."""
        ids = np.maximum(pages.posts, 0)
        columns = {name: self.posts[name][ids] for name in ("valence", "novelty", "arousal")}
        readers = pages.readers
        return {
            **columns, "post": pages.posts, "stance": self.stance[readers], "start": self.traits.start[readers],
            "comments": self.traits.comments[readers],
            "score": (self.posts["likes"][ids] - self.posts["dislikes"][ids]).astype(np.float64),
            "reposts": self.posts["reposts"][ids].astype(np.float64),
            "weight": self.traits.weight[self.posts["author"][ids]],
            "noted": self.platform.note_strength(pages.posts, pages.minutes),
        }  # fmt: skip

    def _repost(self, readers: Ints, looks: Columns, chosen: Any) -> None:
        """Repost at the minute of the look, earliest first."""
        order = np.flatnonzero(chosen)[np.argsort(looks["minute"][chosen], kind="stable")]
        if len(order):
            author, post, minute = readers[order], looks["post"][order], looks["minute"][order]
            ids = self.posts.repost(author, post, step=self.stage.step, minute=minute)
            self.pending.show(author, post, ids, minute, self._delay)

    async def _comment(self, readers: Ints, looks: Columns, chosen: Any) -> None:
        """Comment at the minute of the look, earliest first; a comment is about what its post is about."""
        order = np.flatnonzero(chosen)[np.argsort(looks["minute"][chosen], kind="stable")]
        author, parent, minute = readers[order], looks["post"][order], looks["minute"][order]
        each = self.stage.draw("social_media.comment", agent=author, item=parent, step=0)
        content = draw_writing(self.stage.config, self.stance[author], self.traits.bias[author], each)
        content["topics"] = self.posts["topics"][parent]
        await self._write(author, minute, content, parent, each)

    def _log_follows(self) -> None:
        """Log who of the cast follows whom of the cast."""
        cast = np.array(sorted(self.people.agents), dtype=np.int64)
        row, link = self.traits.graph.following.expand(cast)
        followee = self.traits.graph.following.member[link]
        own = np.isin(followee, cast)
        if own.any():
            self.stage.columns("follows", {"member": cast[row[own]], "follows": followee[own]})

    def _log_round(self, first: int, looks: list[Columns]) -> None:
        """Log what happened in the round in sums, and the opinions at its end."""
        kinds = np.bincount(self.posts["kind"][first:], minlength=len(PostKind)).tolist()
        did = np.concatenate([np.zeros(0, dtype=np.int64), *(one["did"] for one in looks)])
        counts = np.bincount(did, minlength=len(ACTIONS)).tolist()
        there = self.people.rows
        stance, start = self.stance[there], self.traits.start[there]
        self.stage.row(
            "rounds", step=self.stage.step, posts=kinds[0], comments=kinds[1], reposts=kinds[2], looks=len(did),
            likes=counts[1], dislikes=counts[2], members=len(there),
            stance_mean=float(np.mean(quantise(stance))), stance_variance=float(np.var(stance)),
            start_variance=float(np.var(start)), moved=float(np.mean(np.abs(stance - start))),
            favour=int((stance > 0).sum()),
        )  # fmt: skip
