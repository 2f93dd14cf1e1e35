"""What members are asked: how they react to posts, what they write, and what they say after the run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from openiir.kit.beliefs import BeliefRule, anchor_beliefs, apply_exposure
from openiir.kit.interviewing import AfterRun, AfterRunAnswer
from openiir.kit.prompting import ThoughtfulReply, bullet_lines, count_noun, join_words, number_lines
from openiir.plugin import (
    Columns,
    Count,
    CrowdQuestion,
    Draw,
    Question,
    Record,
    Source,
    Stance,
    UnusableAnswer,
    stance_number,
    stance_word,
)
from openiir.scenarios.social_media.model.posts.reactions import (
    ACTIONS,
    NOTE_EFFECT,
    ReactionFeatures,
    ReactionModel,
)
from openiir.scenarios.social_media.model.short_posts import PostContext, compose_post

IGNORE, LIKE, DISLIKE, COMMENT, REPOST = range(5)
Did = Literal["ignore", "like", "dislike", "comment", "repost"]
Study, Drawn, Persona = Source("study"), Source("drawn"), Source("persona")
Numbers = tuple[float, ...]
Place = Annotated[int, Field(ge=1, le=100)]


class PageReply(ThoughtfulReply):
    """A reader's reactions to the posts of a page."""

    does: tuple[Did, ...] = Field(max_length=100, description="what you do with each post, in their order")
    stands: Stance = Field(description="where you stand now on the statement")
    follows: tuple[Place, ...] = Field(
        (), max_length=20, description="numbers of posts whose authors you begin to follow"
    )
    leaves: tuple[Place, ...] = Field(
        (), max_length=20, description="numbers of posts whose authors you follow no longer"
    )


@dataclass(frozen=True)
class ShownPost:
    """A post as its reader sees it."""

    author: str
    text: str
    shown_by: str
    """Who reposted it; empty where the author's own post is shown."""
    likes: Count
    reposts: Count
    note: str
    """Note that readers added; empty for none."""
    answers: str = ""
    """Post that it comments on, with its author; empty for none."""

    def __str__(self) -> str:
        by = f" (reposted by {self.shown_by})" if self.shown_by else ""
        by += f", on {self.answers}" if self.answers else ""
        note = f' Readers added a note: "{self.note}"' if self.note else ""
        counts = f"{count_noun(self.likes, 'like')}, {count_noun(self.reposts, 'repost')}"
        return f'{self.author}{by}: "{self.text}" ({counts}){note}'


@dataclass(frozen=True)
class ReaderModel:
    """Behaviour models of readers: reactions, and how stances move."""

    reactions: ReactionModel
    beliefs: BeliefRule
    again: float = 0.0
    """How many times as likely as at first a reader reposts at a second look; 0 where nobody looks twice."""


@dataclass(frozen=True)
class React(CrowdQuestion[PageReply]):
    """Question to each reader of a page: how do you react to each post?"""

    site: str
    """`twitter` or `reddit`."""
    statement: str
    stands: Stance
    remembered: tuple[str, ...]
    page: tuple[ShownPost, ...]
    stance: Annotated[float, Study]
    start: Annotated[float, Drawn]
    """Stance at the start of the run."""
    comments: Annotated[float, Persona]
    """Log-odds of a comment, in relation to the crowd's."""
    post: Annotated[tuple[int, ...], Study]
    valence: Annotated[Numbers, Study]
    novelty: Annotated[Numbers, Study]
    arousal: Annotated[Numbers, Study]
    score: Annotated[Numbers, Study]
    """Likes minus dislikes."""
    times: Annotated[Numbers, Study]
    """By how many the reader gets the post: its author, and those who reposted it."""
    weight: Annotated[Numbers, Persona]
    """Influence of the author."""
    noted: Annotated[Numbers, Study]
    """Strength of the post's note; 0 for none."""
    nudged: Annotated[Numbers, Study]
    """Change of the log-odds of a repost by nudges."""
    again: Annotated[Numbers, Study]
    """1 where the reader has looked at the post before, else 0."""
    behaviour: ReaderModel
    kind: ClassVar[str] = "social_media.react"
    example: ClassVar[Record] = PageReply(
        thoughts="The first is about my street; the second is a joke I have seen.",
        does=("like", "ignore"),
        stands="leaning against",
    )

    def prompt(self) -> str:
        remembered = f"\n\nWhat you remember:\n{bullet_lines(self.remembered)}" if self.remembered else ""
        whose, follows = "your communities talk about", ""
        if self.site == "twitter":
            whose = "those you follow have posted"
            follows = " Whom do you begin to follow, and whom no longer, if anybody?"
        return f"""You look at what {whose}. Many talk about this statement: "{self.statement}"
Where you stand on that statement: {self.stands}.{remembered}

The posts, from the top:
{number_lines(self.page)}

What do you do with each of them: ignore, like, dislike, comment or repost? \
And where do you stand now?{follows}"""

    def allowed(self) -> Mapping[str, Sequence[int]]:
        places = range(1, len(self.page) + 1)
        return {"follows": places, "leaves": places} if self.site == "twitter" else {}

    def lengths(self) -> Mapping[str, int]:
        return {"does": len(self.page), **({} if self.site == "twitter" else {"follows": 0, "leaves": 0})}

    def check(self, reply: PageReply) -> None:
        if len(reply.does) != len(self.page):
            raise UnusableAnswer(f"does needs one entry for each of the {len(self.page)} posts")

    @classmethod
    def answer_columns(cls, columns: Columns, draw: Draw, behaviour: ReaderModel) -> Columns:
        """Draw reactions by multinomial logit (`ReactionRule`); stances move by `kit.beliefs.BeliefRule`.

        What is liked or reposted counts as a click there, all else as seen. Draws are by reader and post.
        """
        post, stance, rule = columns["post"], np.array(columns["stance"])[:, None], behaviour.beliefs
        features = ReactionFeatures(
            agreement=stance * columns["valence"],
            reposts=columns["times"] - 1,
            **{name: columns[name] for name in ("novelty", "arousal", "score", "weight")},
        )
        utilities = behaviour.reactions.utilities(features) + columns["noted"][..., None] * NOTE_EFFECT
        utilities[..., COMMENT] += columns["comments"][:, None]
        utilities[..., REPOST] += columns["nudged"] + columns["again"] * np.log(behaviour.again or 1.0)
        agent = draw.agent if isinstance(draw.agent, str) else np.asarray(draw.agent)[:, None]
        named = draw.at("reaction", agent=agent, item=np.maximum(post, 0), step=0)
        chosen = named.choices(ACTIONS, utilities)
        if columns["again"].any():
            later = draw.at(f"again on {draw.item}", agent=agent, item=np.maximum(post, 0))
            chosen = np.where(columns["again"] > 0, later.choices(ACTIONS, utilities), chosen)
        does = np.where(post >= 0, chosen, IGNORE)
        whole = np.ones_like(stance)
        for slot in range(post.shape[1]):
            weight = np.where(np.isin(does[:, slot], (LIKE, REPOST)), 1.0, rule.exposure)
            there = post[:, slot] >= 0
            stance = apply_exposure(stance, whole, columns["valence"][:, slot], weight * there, rule)
        return {"does": does, "stance": anchor_beliefs(stance[:, 0], columns["start"], rule), "post": post}

    @classmethod
    def reply_of(cls, row: Mapping[str, Any]) -> PageReply:
        does = tuple(ACTIONS[did] for did, post in zip(row["does"], row["post"], strict=True) if post >= 0)
        return PageReply(does=does, stands=stance_word(float(row["stance"])))

    @classmethod
    def row_of(cls, reply: PageReply, computed: Mapping[str, Any]) -> Mapping[str, Any]:
        does = np.zeros_like(computed["does"])
        does[computed["post"] >= 0] = [ACTIONS.index(one) for one in reply.does]
        stance = computed["stance"]  # the finer number, where the word says the same
        if reply.stands != stance_word(float(stance)):
            stance = stance_number(reply.stands)
        return {**computed, "does": does, "stance": stance}


class SearchReply(ThoughtfulReply):
    """What a reader searches the site for."""

    query: str = Field(
        "", max_length=200, description="what you search for, in a few words; empty for nothing"
    )


@dataclass(frozen=True)
class SearchPosts(Question[SearchReply]):
    """Question to a member of the cast who has read a page: do you search for older posts?"""

    statement: str
    interests: tuple[str, ...]
    page: tuple[ShownPost, ...]
    kind: ClassVar[str] = "social_media.search"
    example: ClassVar[Record] = SearchReply(
        thoughts="Somebody must have written about the Sunday opening before.",
        query="pool Sunday opening hours",
    )

    def prompt(self) -> str:
        return f"""You are on a social medium where many talk about this: "{self.statement}"
You care about {join_words(self.interests)}. You have just read:
{bullet_lines(self.page)}

Is there anything that you now want to find in older posts? What do you search for?"""

    def offline(self, draw: Draw) -> SearchReply:
        """Search for one of one's interests, drawn; our design."""
        return SearchReply(query=self.interests[draw.below(len(self.interests))][:200])


class WrittenPost(ThoughtfulReply):
    """A post or a comment."""

    text: str = Field(
        min_length=1,
        max_length=600,
        description="your post or comment, one to three sentences in your own words",
    )
    stands: Stance = Field(description="where your text stands on the statement")


@dataclass(frozen=True)
class Compose(Question[WrittenPost]):
    """Question to a member of the cast: what do you post, or comment?"""

    statement: str
    stands: Stance
    topic: str
    thread: tuple[ShownPost, ...]
    """Post that is commented on, after the one that it comments on itself; empty for a post of one's own."""
    passages: tuple[str, ...]
    remembered: tuple[str, ...]
    written: tuple[str, ...]
    """What the author wrote last."""
    kind: ClassVar[str] = "social_media.compose"
    example: ClassVar[Record] = WrittenPost(
        thoughts="Somebody should say that the pool is the only place open on Sundays.",
        text="Before we close the pool: where else do children go on a Sunday?",
        stands="against",
    )

    def prompt(self) -> str:
        parts = [
            f'You write on a social medium, where many talk about this statement: "{self.statement}"\n'
            f"Where you stand on the statement: {self.stands}."
        ]
        told = {
            "What you remember": self.remembered,
            "What you have read elsewhere": [" ".join(text.split()) for text in self.passages],
            "What you have posted yourself; do not repeat these": self.written,
        }
        parts += [f"{title}:\n{bullet_lines(lines)}" for title, lines in told.items() if lines]
        task = f"You feel like posting something about {self.topic}. What do you post?"
        if self.thread:
            parts.append("You comment on this:\n" + "\nOn that:\n".join(map(str, self.thread)))
            task = f"What do you write to {self.thread[-1].author}?"
        return "\n\n".join([*parts, task])

    def offline(self, draw: Draw) -> WrittenPost:
        """Write the author's stance and often a fact that was read (`model.short_posts`)."""
        context = PostContext(
            self.statement,
            self.topic,
            stance_number(self.stands),
            self.passages,
            self.written,
            self.remembered,
        )
        if self.thread:
            to = self.thread[-1]
            context = replace(context, answered=to.text, to=to.author, noted=bool(to.note))
        return WrittenPost(text=compose_post(context, draw)[:600], stands=self.stands)


@dataclass(frozen=True)
class AfterMedium(AfterRun):
    """Question to a member of the cast after the run."""

    kind: ClassVar[str] = "social_media.interview"
    example: ClassVar[Record] = AfterRunAnswer(answer="Mostly I read what others wrote about the pool.")

    def offline(self, draw: Draw) -> AfterRunAnswer:
        """Quote up to two memories, those that come first."""
        said = [f"I{memory.removeprefix('you')}" for memory in self.remembered[:2]]
        return self.answer(" ".join(said) or "I remember nothing that speaks to it.")
