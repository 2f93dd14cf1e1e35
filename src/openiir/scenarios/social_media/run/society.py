"""What happens in a round: members post, are shown posts, react, and remember."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from openiir.kit.arrays import Floats, Ints, number_within
from openiir.kit.counts import draw_counts
from openiir.kit.rankers import ranker
from openiir.plugin import (
    ClaimSource,
    Columns,
    DepartureEvent,
    Draw,
    PromotionEvent,
    Record,
    Stage,
    first_largest,
    order_by,
)
from openiir.scenarios.social_media.behaviour.interventions import CounterSpeech, Interventions
from openiir.scenarios.social_media.behaviour.members import MemberTraits
from openiir.scenarios.social_media.config import EVENTS, CounterEvent, PostEvent
from openiir.scenarios.social_media.model.activity import round_minutes
from openiir.scenarios.social_media.model.posts.follows import FollowChanges
from openiir.scenarios.social_media.model.posts.pages import PageLayout, ReaderPages
from openiir.scenarios.social_media.model.posts.post_rankers import POST_RANKERS
from openiir.scenarios.social_media.model.posts.post_store import PostKind, Posts
from openiir.scenarios.social_media.model.posts.reactions import ACTIONS, ReactionModel
from openiir.scenarios.social_media.model.posts.sites import (
    SITES,
    Due,
    SeenPosts,
    sort_by_minute,
    split_first_impressions,
)
from openiir.scenarios.social_media.questions import COMMENT, LIKE, REPOST, PageReply, React, ReaderModel
from openiir.scenarios.social_media.run.actions import Countered, Exposed, Followed, Injected, SpreadHalted
from openiir.scenarios.social_media.run.summing import log_cast, log_round
from openiir.scenarios.social_media.run.writing import WROTE, CastWriter

USER = "user"


class Society:
    """State of a run: the members, their posts, and the impressions still to come."""

    def __init__(self, stage: Stage) -> None:
        config = stage.config
        self.stage, self.people = stage, stage.population(config.members, USER)
        later = {event.payload["row"] for event in stage.log.events("promoted")}
        cast = {row: persona for row, persona in self.people.personas.items() if row not in later}
        self.traits = MemberTraits(stage, cast)
        past = Followed.columns(stage.log)
        for step in np.unique(past["step"]).tolist():
            for began in (True, False):
                own = (past["step"] == step) & (past["began"] == began)
                self.traits.change_follows(past["member"][own], past["whom"][own], began, step)
        self.stance = self.people.column("stance", self.traits.start)
        self.posts = Posts(len(config.topics), stage.restored)
        end, delay = config.rounds * config.minutes, stage.draw("social_media.delay", step=0)
        self.site = SITES[config.site](self.posts, self.traits, end, delay, stage.restored)
        self.seen, self.shared = (
            SeenPosts(stage.restored[name] if stage.restored else None) for name in ("seen", "shared")
        )
        self.named = {injected.name: injected.post for _, injected in Injected.read(stage.log)}
        halted = {one.post: one.until for _, one in SpreadHalted.read(stage.log)}
        self.interventions = Interventions(self.named, config.minutes, halted)
        hostile = Countered.columns(stage.log)
        self.counter = CounterSpeech(config.members, hostile)
        self.interventions.hide_deleted(hostile["post"][hostile["deleted"].astype(np.bool_)])
        for event in stage.log.events("event"):
            fields = dict(event.payload)
            self._hold(event.step, EVENTS[fields.pop("kind")].model_validate(fields))
        self.follows = FollowChanges(self.traits.interests)
        self.writer = CastWriter(stage, self.people, self.posts, self.interventions)
        self._fitted: tuple[Any, ReactionModel, float] | None = None
        if stage.restored is None:
            log_cast(stage, self.traits, cast)

    def state(self) -> dict[str, Any]:
        """Return the arrays of a checkpoint."""
        seen = {"seen": self.seen.state(), "shared": self.shared.state()}
        return {**self.posts.state(), **self.site.state(), **seen}

    async def run_round(self) -> None:
        """Run one round: scheduled events, then posting, then waves of reading and reposting.

        In a wave, everybody reads what is due for it by the end of the round; what is reposted then and falls
        due within the round is read in the next.
        """
        looks: list[Columns] = []
        first = len(self.posts)
        for event in self.stage.events:
            await self._apply(event)
        await self._post()
        while len((due := self._take_due(looks))["post"]):
            looks.append(await self._read(due, len(looks)))
        for member, whom, began in self.follows.take_changes(self.traits.graph):
            self.traits.change_follows(member, whom, began, self.stage.step)
            self.stage.act_all(Followed, member, whom=whom, began=began)
        looked = np.concatenate([np.zeros(0, dtype=np.int64), *(one["post"] for one in looks)])
        for post, until in self.interventions.halt_fast_spreading(looked, self.stage.step).items():
            self.stage.act(None, SpreadHalted(post=post, until=until))
        await self._answer_hostile(first)
        await self._record_texts(first)
        if len(self.posts) > first:
            written: Any = self.posts.table(first)
            self.stage.columns("posts", written)
        did, rows = [one["did"] for one in looks], self.people.rows
        log_round(self.stage, self.posts["kind"][first:], did, self.stance[rows], self.traits.start[rows])

    async def _record_texts(self, first: int) -> None:
        """Extract the claims of what was written since a post, and let look-ups find it from now on."""
        texts = {id: text for id, text in self.posts.texts.items() if id >= first}
        claims = {claim.utterance: claim.id for claim in reversed(self.stage.claims)}
        parents, authors, statement = self.posts["parent"], self.posts["author"], self.stage.config.statement
        await self.stage.extract_all(
            [
                ClaimSource(text, self.people.id(authors[id]), id, statement, claims.get(parents[id]))
                for id, text in texts.items()
            ]
        )
        await self.writer.add_to_world(texts)

    async def _apply(self, event: Record) -> None:
        """Let a scheduled event happen."""
        if isinstance(event, PostEvent):
            row, start = self.traits.find_row(event.member, self.people), float(self.stage.clock)
            gap = self._fit()[1] if event.veracity == "false" else 0.0
            content: dict[str, Any] = {"valence": event.valence, "topics": self.traits.interests[[row]]}
            content |= {name: min(1.0, getattr(event, name) + gap) for name in ("novelty", "arousal")}
            id = int(self._publish(np.array([row]), np.array([start]), [event.text], **content)[0])
            injected = Injected(name=event.post, post=id, veracity=event.veracity or "")
            self.stage.act(self.people.id(row), injected)
            self.named[event.post] = id
        elif isinstance(event, PromotionEvent | DepartureEvent) and (agent := self.stage.apply(event)):
            self.writer.fill_memory(agent)
        self._hold(self.stage.step, event)

    def _hold(self, step: int, event: Record) -> None:
        """Take note of an event that holds beyond its round."""
        if isinstance(event, CounterEvent):
            self.counter.event = event
        self.interventions.put_in_force(step, event)

    async def _answer_hostile(self, first: int) -> None:
        """Let counter-speech answer hostile posts since a post, at the end of the round."""
        if (event := self.counter.event) is None:
            return
        row = self.traits.find_row(event.member, self.people)
        if not self.people.present[row]:
            return
        author, found = self.counter.find_hostile_posts(
            self.posts, first, self.stage.draw("social_media.counter")
        )
        self.stage.act_all(Countered, author, **found)
        self.interventions.hide_deleted(found["post"][found["deleted"]])
        asked = found["post"][found["answered"]]
        speaker = np.full(len(asked), row)
        end = np.full(len(asked), float(self.stage.clock + self.stage.config.minutes))
        topics = self.posts["topics"][asked]
        self._publish(
            speaker, end, [event.text] * len(asked), kind=PostKind.COMMENT, parent=asked, topics=topics
        )

    def _fit(self) -> tuple[ReactionModel, float]:
        """Calibrate reactions, anew where a change of the configuration asks for it."""
        config = self.stage.config
        key = config.model_copy(update={"ranker": "", "gamma": 0.0, "attention": 0.0})
        if self._fitted is None or self._fitted[0] != key:
            self._fitted = (key, *self.traits.calibrate_reactions(config))
        return self._fitted[1:]

    async def _post(self) -> None:
        """Let members post by their rates and hours; the cast in words."""
        stage, config, people = self.stage, self.stage.config, self.people
        rows, draw = people.rows, stage.draw("social_media.post")
        expected = self.traits.expect_posts(float(stage.clock)) * self.counter.factor
        expected *= self.interventions.posting_rate_factor(stage.step)
        author = np.repeat(rows, draw_counts(draw.at("count"), rows, expected[rows]))
        number = number_within(author)
        each = draw.at(agent=author, item=number)
        minute = round_minutes(stage.clock + config.minutes * each.at("born").uniform())
        order = order_by(minute, author)
        author, minute = author[order], minute[order]
        each = draw.at(agent=author, item=number[order])
        content = config.writing.draw(self.stance[author], self.traits.bias[author], each)
        content["topics"] = self.traits.interests[author]
        await self._write(author, minute, content, np.full(len(author), -1), each)

    async def _write(
        self, author: Ints, minute: Floats, content: dict[str, Floats], parent: Ints, draw: Draw
    ) -> None:
        """Publish posts or comments: the cast's in words, the crowd's in numbers or, for a share, words."""
        if not len(author):
            return
        worded = draw.at("worded").chance(self.stage.config.writing.worded)
        topic = first_largest(content["topics"], axis=1)
        texts, content["valence"] = await self.writer.ask_for_posts(
            author, parent, topic, content["valence"], self.stance[author], minute
        )
        for n in np.flatnonzero(worded).tolist():
            made = self.writer.word_crowd_post(len(self.posts) + n, topic[n], content["valence"][n])
            texts[n] = texts[n] or made
        kind = np.where(parent < 0, PostKind.POST, PostKind.COMMENT)
        self._publish(author, minute, texts, kind=kind, parent=parent, **content)

    def _publish(self, author: Ints, minute: Floats, texts: list[str | None], **columns: Any) -> Ints:
        """Add posts or comments and let the site show them; whom a comment answers is told of it."""
        ids = self.posts.add(author, step=self.stage.step, minute=minute, texts=texts, **columns)
        self.seen.add(author, ids)
        self.shared.add(author, ids)
        self.site.schedule_for_followers(author, ids, ids, minute)
        answers = self.posts["parent"][ids] >= 0
        asked = self.posts["author"][self.posts["parent"][ids[answers]]]
        self.site.schedule_for_reader(asked, author[answers], ids[answers], ids[answers], minute[answers])
        for row, text in zip(author.tolist(), texts, strict=True):
            if text is not None:
                self.writer.remember(row, f'{WROTE}"{text}"')
        return ids

    def _take_due(self, looks: list[Columns]) -> Due:
        """Take what is due in the round, each post once a reader: not what is hidden, nor what is done with.

        That is what a reader has looked at, or, where second looks count (`again`), what it has reposted
        itself.
        """
        config, start = self.stage.config, float(self.stage.clock)
        due = self.site.take_due(start, start + config.minutes, dict(looks[-1]) if looks else None)
        reader, post = due["reader"], due["post"]
        due["again"] = seen = self.seen.contains(reader, post)
        done = self.shared.contains(reader, post) if config.again else seen
        hidden = self.interventions.is_hidden(post, self.stage.step)
        kept = self.people.present[reader] & ~hidden & ~done
        first, rest = split_first_impressions({name: column[kept] for name, column in due.items()})
        if config.again:  # the other looks come in the next waves, one by one
            self.site.add_due(rest)
            first["times"] = np.ones_like(first["times"])
        return first

    async def _read(self, due: Due, wave: int) -> Columns:
        """Let members look at pages of what is due, react and be moved; returns the looks that are logged."""
        stage, config = self.stage, self.stage.config
        draw = stage.draw(f"social_media.page.{wave}")
        end = float(stage.clock + config.minutes)
        pages = self._page(wave).lay_out(due, self.posts, self.traits.interests, end, draw)
        answers = await stage.ask_crowd(
            React,
            self.people,
            self._describe(pages),
            lambda n: self.writer.page_facts(pages, n, self.stance),
            rows=pages.readers,
            subject=f"page {wave + 1}",
            behaviour=ReaderModel(self._fit()[0], config.beliefs, config.again),
        )
        unanswered = [row for row, reply in answers.replies.items() if reply is None]
        moved = np.where(np.isin(pages.readers, unanswered), self.stance[pages.readers], answers["stance"])
        looks = pages.list_impressions()
        looks["did"] = answers["does"][pages.posts >= 0]
        if config.site == "twitter":
            self._consider_follows(looks, answers.replies)
        self.stance[pages.readers] = moved
        for n, row in enumerate(pages.readers.tolist()):
            if row in self.people.agents:
                self.writer.remember_page(pages, n)
        readers, did = looks["reader"], looks["did"]
        logged = {name: looks[name] for name in ("post", "rank", "minute", "did")}
        stage.act_all(Exposed, readers, shown_by=looks["by"], **logged)
        self.seen.add(readers, looks["post"])
        self.posts.count_reactions("shown", looks["post"])
        for name, kind in (("likes", "like"), ("dislikes", "dislike")):
            self.posts.count_reactions(name, looks["post"][did == ACTIONS.index(kind)])
        self._repost(looks, did == REPOST)
        await self._comment(looks, did == COMMENT)
        self.site.add_due(await self.writer.search(pages, self.seen, draw))
        return looks

    def _consider_follows(self, looks: Columns, replies: Mapping[int, Record | None]) -> None:
        """Let readers follow and leave authors: as they say who answered themselves, the others by a rule."""
        rule, reader, post = self.stage.config.follows, looks["reader"], looks["post"]
        author = self.posts["author"][post]
        spoken = [row for row in replies if self.stage.answerer(self.people.id(row), React.kind) != "offline"]
        for row in spoken:
            if isinstance(reply := replies[row], PageReply):
                self.follows.record_stated(row, author[reader == row], reply.follows, reply.leaves)
        by_rule = (reader != author) & ~np.isin(reader, spoken)
        distance = by_rule * np.abs(self.stance[reader] - self.posts["valence"][post])
        liked = by_rule & np.isin(looks["did"], (LIKE, REPOST))
        draw = self.stage.draw("social_media.follow")
        self.follows.draw_changes(rule, self.traits.graph, looks, author, liked, distance, draw)

    def _page(self, wave: int) -> PageLayout:
        """Say how pages are laid out now; on a Reddit-like site, comments come next, best rated first."""
        config = self.stage.config
        name = "best" if wave and config.site == "reddit" else config.ranker or self.site.ranker
        gamma = config.gamma if name != "chronological" else 0.0  # time alone is the baseline of audits
        factor = self.traits.weight[self.posts["author"]] ** gamma
        lowering = self.interventions.downranking_factors(self.posts)
        return PageLayout(ranker(name, POST_RANKERS), factor, lowering, config.slots, config.attention)

    def _describe(self, pages: ReaderPages) -> dict[str, Any]:
        """Collect what the behaviour model reads of readers and of the posts on their pages."""
        ids, readers, posts = np.maximum(pages.posts, 0), pages.readers, self.posts
        return {
            **{name: posts[name][ids] for name in ("valence", "novelty", "arousal")},
            **{name: pages.shown[name].astype(np.float64) for name in ("times", "again")},
            "post": pages.posts,
            "stance": self.stance[readers],
            "start": self.traits.start[readers],
            "comments": self.traits.comments[readers],
            "score": (posts["likes"][ids] - posts["dislikes"][ids]).astype(np.float64),
            "weight": self.traits.weight[posts["author"][ids]],
            "noted": self.interventions.note_strength(pages.posts, pages.shown["minute"]),
            "nudged": self.interventions.nudge_odds(pages.posts),
        }

    def _repost(self, looks: Columns, chosen: Any) -> None:
        """Repost at the minute of the look, earliest first."""
        author, post, minute = sort_by_minute(looks, chosen)
        if len(author):
            ids = self.posts.repost(author, post, step=self.stage.step, minute=minute)
            self.shared.add(author, post)
            self.site.schedule_for_followers(author, post, ids, minute)

    async def _comment(self, looks: Columns, chosen: Any) -> None:
        """Comment at the minute of the look, earliest first; a comment is about what its post is about."""
        author, parent, minute = sort_by_minute(looks, chosen)
        each = self.stage.draw("social_media.comment", agent=author, item=parent, step=0)
        content = self.stage.config.writing.draw(self.stance[author], self.traits.bias[author], each)
        content["topics"] = self.posts["topics"][parent]
        await self._write(author, minute, content, parent, each)
