"""The words of a medium: what the cast writes, what its pages show, and what it remembers."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from openiir.kit.arrays import Floats, Ints
from openiir.kit.prompting import cut_text
from openiir.plugin import (
    Agent,
    Draw,
    MemoryPool,
    Population,
    Stage,
    first_largest,
    stance_number,
    stance_word,
    texts_in_order,
)
from openiir.scenarios.social_media.behaviour.interventions import Interventions
from openiir.scenarios.social_media.model.posts.pages import ReaderPages
from openiir.scenarios.social_media.model.posts.post_store import PostIndex, Posts
from openiir.scenarios.social_media.model.posts.sites import Due, SeenPosts, empty_schedule
from openiir.scenarios.social_media.model.short_posts import word_stance
from openiir.scenarios.social_media.questions import Compose, SearchPosts, SearchReply, ShownPost, WrittenPost
from openiir.scenarios.social_media.run.actions import Exposed, Searched

REMEMBERED = 5
"""Number of memory records in a prompt."""
OWN = 10
"""Number of its latest posts that an author has in view when it writes."""
HISTORY = 20
"""Number of posts seen that a promoted member remembers."""
FOUND = 5
"""Number of posts that a search finds."""
SOURCE = "post "
"""How the source of a passage of the world begins that is a post; its id follows."""
WROTE = "you wrote: "
"""Opening of a memory of one's own post."""
QUOTED = 120
"""Characters of a post that is shown with a comment on it."""
LONGEST = 300
"""Characters of a post that somebody remembers."""


class CastWriter:
    """Wording of what members of the cast write, see and remember, with their memories."""

    def __init__(self, stage: Stage, people: Population, posts: Posts, interventions: Interventions) -> None:
        self._stage, self._people, self._posts, self._interventions = stage, people, posts, interventions
        self._index = PostIndex()
        self._pool = MemoryPool()
        self.memories = {agent.id: self._pool.memory(agent.persona) for agent in stage.agents}

    async def ask_for_posts(
        self, author: Ints, parent: Ints, topic: Ints, valence: Floats, stance: Floats, minute: Floats
    ) -> tuple[list[str | None], Floats]:
        """Ask the authors in the cast for their posts; returns texts and the texts' valences.

        What is not answered by the behaviour model has the valence that its author says. Without a usable
        reply, a post stays in numbers.
        """
        texts: list[str | None] = [None] * len(author)
        found = np.array(valence)
        left = [n for n, row in enumerate(author.tolist()) if row in self._people.agents]
        while left:  # each author's next, so that nobody writes the same twice in a round
            _, first = np.unique(author[left], return_index=True)
            turn = [left[n] for n in sorted(first.tolist())]
            left = [n for n in left if n not in turn]
            batch = []
            for n in turn:
                agent = self._people.agents[int(author[n])]
                own = [text for m, text in enumerate(texts[:n]) if text and author[m] == author[n]]
                facts = int(parent[n]), int(topic[n]), float(minute[n]), float(stance[n])
                batch.append((agent, await self._compose(agent, *facts, own)))
            for n, (agent, _), reply in zip(turn, batch, await self._stage.ask_all(batch), strict=True):
                if isinstance(reply, WrittenPost):
                    texts[n] = reply.text
                    if self._stage.answerer(agent, Compose.kind) != "offline":
                        found[n] = stance_number(reply.stands)
        return texts, found

    async def _compose(
        self, agent: Agent, parent: int, topic: int, minute: float, stance: float, own: list[str]
    ) -> Compose:
        stage, config = self._stage, self._stage.config
        above = [self._posts["parent"][parent], parent] if parent >= 0 else []
        posts = [int(post) for post in above if self._is_shown(int(post))]
        thread = tuple(self.shown_post(post, -1, minute) for post in posts)
        heard, about = thread[-1].text if thread else config.statement, config.topics[topic]
        author, row = self._posts["author"], self._people.row(agent)
        earlier = [text for post, text in self._posts.texts.items() if author[post] == row]
        written = (*earlier, *own)[-OWN:]
        passages, found = list[str](), list[int]()
        if config.passages and "main" in stage.knowledge.worlds:
            query = " ".join([about, *agent.persona.interests[:2], heard])
            begin = stage.draw("social_media.reading", agent=agent.id, step=0).below(config.passages)
            last = config.passages  # people begin in different places, and read on
            last += 0 if thread else begin + len(written)
            for hit in await stage.lookup(agent, query, last + FOUND):
                if hit.chunk.source.startswith(SOURCE):
                    found.append(int(hit.chunk.source[len(SOURCE) :]))
                else:
                    passages.append(hit.chunk.text)
            passages = passages[:last][-config.passages :]
        found = [post for post in found if self._is_shown(post) and author[post] != row]
        shown = [self._recall(post) for post in posts]
        cue, memory = heard if thread else about, self.memories[agent.id]
        remembered = memory.recall(cue, REMEMBERED, lambda one: one.text.startswith((WROTE, *shown)))
        known = dict.fromkeys([*texts_in_order(remembered), *map(self._recall, found[:REMEMBERED])])
        recalled = tuple(text for text in known if text not in shown)
        return Compose(
            config.statement, stance_word(stance), about, thread, tuple(passages), recalled, written
        )

    def word_crowd_post(self, post: int, topic: int, valence: float) -> str:
        """Generate the text of a crowd member's post from its numbers; the id chooses among the wordings."""
        config = self._stage.config
        return word_stance(config.topics[topic], float(valence), config.statement, post)

    def post_text(self, post: int) -> str:
        """Return the text of a post; one without gets a text generated from its stance and other numbers."""
        posts = self._posts
        made = self.word_crowd_post(post, first_largest(posts["topics"][post]), posts["valence"][post])
        return posts.texts.get(post, made)

    def shown_post(self, post: int, by: int, minute: float) -> ShownPost:
        """Build a post as a page shows it; `by` is who shares it, -1 for a post shown above a reply to it."""
        posts, author, asked = self._posts, int(self._posts["author"][post]), int(self._posts["parent"][post])
        return ShownPost(
            author=self._people.name(author),
            text=self.post_text(post),
            shown_by="" if by in (-1, author) else self._people.name(by),
            likes=int(posts["likes"][post]),
            reposts=int(posts["reposts"][post]),
            note=self._interventions.note_text(post, minute),
            answers=self._quote(asked) if by >= 0 and self._is_shown(asked) else "",
        )

    def _is_shown(self, post: int) -> bool:
        """Tell whether there is such a post, and it is not removed, deleted or halted."""
        return post >= 0 and not self._interventions.is_hidden(np.array([post]), self._stage.step)[0]

    def page_facts(self, pages: ReaderPages, n: int, stance: Floats) -> dict[str, Any]:
        """Build the facts of the question about reader `n`'s page."""
        row, config = int(pages.readers[n]), self._stage.config
        page = tuple(self.shown_post(*one) for one in _list_page(pages, n))
        cues = [config.statement, *(one.text for one in page)]
        return {
            "site": config.site,
            "statement": config.statement,
            "stands": stance_word(float(stance[row])),
            "remembered": texts_in_order(self.memories[self._people.id(row)].recall(cues, REMEMBERED)),
            "page": page,
        }

    async def search(self, pages: ReaderPages, seen: SeenPosts, draw: Draw) -> Due:
        """Let some cast members who read a page search the site; returns impressions of the results.

        Found are the FOUND best posts in words, by keyword, that the reader has not looked at.
        """
        stage, batch, minutes = self._stage, [], []
        for n, row in enumerate(pages.readers.tolist()):
            if row in self._people.agents and draw.at("search").chance(stage.config.searches, agent=row):
                agent = self._people.agents[row]
                page = tuple(self.shown_post(*one) for one in _list_page(pages, n))
                interests = agent.persona.interests or stage.config.topics
                batch.append((agent, SearchPosts(stage.config.statement, interests, page)))
                minutes.append(float(pages.shown["minute"][n][pages.posts[n] >= 0].max()))
        await self._index.follow(self._posts)
        found = empty_schedule()
        for (agent, _), minute, reply in zip(batch, minutes, await stage.ask_all(batch), strict=True):
            if isinstance(reply, SearchReply) and reply.query.strip():
                hits = await self._index.search(reply.query, FOUND, "keyword")
                row, posts = self._people.row(agent), np.array([hit.id for hit in hits], dtype=np.int64)
                there = self._posts["minute"][posts] <= minute
                posts = posts[there & ~seen.contains(row, posts)]
                stage.act(agent, Searched(query=reply.query, found=tuple(posts.tolist())))
                new: dict[str, Any] = {"reader": row, "post": posts, "by": self._posts["author"][posts]}
                new = {
                    name: np.broadcast_to(one, len(posts)) for name, one in (new | {"minute": minute}).items()
                }
                found = {name: np.append(old, new[name]) for name, old in found.items()}
        return found

    async def add_to_world(self, texts: Mapping[int, str]) -> None:
        """Add the texts of posts to the world, if the study has one, so that retrieval can find them."""
        if "main" in self._stage.knowledge.worlds:
            await self._stage.publish({f"{SOURCE}{post}": text for post, text in texts.items()})

    def remember_page(self, pages: ReaderPages, n: int) -> None:
        """Store in a cast member's memory the posts that it looked at."""
        for post, _, _ in _list_page(pages, n):
            self.remember(int(pages.readers[n]), self._recall(post))

    def _recall(self, post: int) -> str:
        return self._quote(post, " wrote", LONGEST)

    def _quote(self, post: int, wrote: str = "", most: int = QUOTED) -> str:
        name = self._people.name(int(self._posts["author"][post]))
        return f'{name}{wrote}: "{cut_text(self.post_text(post), most)}"'

    def remember(self, row: int, text: str) -> None:
        """Store a text in a member's memory, if it belongs to the cast."""
        if row in self._people.agents:
            self.memories[self._people.id(row)].store(text)

    def fill_memory(self, agent: Agent) -> None:
        """Fill a promoted member's memory with the posts that it looked at last."""
        self.memories[agent.id] = self._pool.memory(agent.persona)
        row = self._people.row(agent)
        for post in Exposed.columns(self._stage.log, ["post"], member=row)["post"][-HISTORY:].tolist():
            self.remember(row, self._recall(post))


def _list_page(pages: ReaderPages, n: int) -> list[tuple[int, int, float]]:
    """List the posts of a page from the top: id, who shows it, minute."""
    places = np.flatnonzero(pages.posts[n] >= 0)
    columns: Any = (pages.posts, pages.shown["by"], pages.shown["minute"])
    return list(zip(*(column[n, places].tolist() for column in columns), strict=True))
