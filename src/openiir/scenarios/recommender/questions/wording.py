"""Wordings of the recommender type for prompts and for what offline visitors say."""

from collections.abc import Sequence

from openiir.kit.prompting import bullet_lines, join_words
from openiir.plugin import Draw
from openiir.scenarios.recommender.model.choice_model import Feeling
from openiir.scenarios.recommender.questions.page import TitleShown

VERBS = {
    "movie": ("watch", "watched"),
    "game": ("play", "played"),
    "book": ("read", "read"),
    "item": ("use", "used"),
}
"""Verb and its past participle for using an item, by the noun for the item."""
FOND, ACCLAIMED, PANNED = 0.4, 4.0, 2.5
"""Smallest attraction (or its negative) at which genres are the reason for a verdict; others' mean ratings
from which on and up to which those are the reason [design]."""


_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def ordinal(n: int) -> str:
    """Write an ordinal number, in words up to tenth."""
    return _ORDINALS[n - 1] if n <= len(_ORDINALS) else f"{n}th"


def list_under(heading: str, lines: Sequence[str]) -> str:
    """Format lines under a heading as a paragraph of a prompt; empty without lines."""
    return f"{heading}\n{bullet_lines(lines)}\n\n" if lines else ""


def list_near_titles(where: str, lines: Sequence[str]) -> str:
    """List a visitor's memories of titles similar to those in a prompt.

    `where` names these, such as `the movies below`.
    """
    return list_under(f"What you remember that comes near to {where}:", lines)


_FELT = {
    "liked": ("I liked", "was above my usual"),
    "disliked": ("I disliked", "was below my usual"),
    "": ("was about my usual", "was about my usual"),
}
"""Wordings for a rated title by feeling. The second is used where the stars alone do not show the feeling: 4
of 5 does not look like dislike."""


def _cite_similar_title(title: TitleShown, felt: Feeling) -> str:
    """Word the most similar rated title with this feeling as a reason; empty without one."""
    for near in title.by.near:
        if near.felt == felt:
            hidden = near.stars <= 3 if felt == "liked" else near.stars >= 3
            return f"It is close to {near.title}, which {_FELT[felt][hidden]} ({near.stars:g} of 5)."
    return ""


def reason_to_take(title: TitleShown, noun: str) -> str:
    """Word an offline visitor's reason to take a title: a similar title, its genres, or others' ratings."""
    if close := _cite_similar_title(title, "liked"):
        return close
    entry = title.entry
    if title.by.pull >= FOND:
        return f"This {name_kind(entry.genres[:2], noun)} is my kind of thing."
    if entry.average is not None and entry.average >= ACCLAIMED:
        return f"Others think well of it: {entry.average:.1f} of 5."
    return "It appeals to me." if title.by.pull > 0 else "It looks worth a try."


def reason_to_pass(title: TitleShown, noun: str, rather: str = "", less: bool = False) -> str:
    """Word an offline visitor's reason to pass a title over; empty without one.

    `rather` is which one of the page was taken instead, if any; `less` whether one was taken that draws more.
    """
    if close := _cite_similar_title(title, "disliked"):
        return close
    entry = title.entry
    if title.by.pull <= -FOND and entry.genres:
        return f"I seldom care for {name_kind(entry.genres[:2], noun)}s."
    if rather:
        return f"I would rather {VERBS[noun][0]} {rather}."
    if entry.average is not None and entry.average <= PANNED:
        return f"Others think little of it: {entry.average:.1f} of 5."
    if close := _cite_similar_title(title, ""):
        return close
    if title.by.pull < 0:
        return "It does not appeal to me."
    return f"This {name_kind(entry.genres[:2], noun)} appeals to me less." if less else ""


def name_kind(genres: Sequence[str], noun: str) -> str:
    """Name an item of these genres, such as `drama movie`."""
    return " ".join(filter(None, (join_words(genres).lower(), noun)))


_REACTIONS = {
    2: "I enjoyed it a lot, a very good {}.",
    1: "I enjoyed it, a good {}.",
    0: "It was all right, much like other {}s I know.",
    -1: "It let me down; I know better {}s.",
    -2: "It bored me, a weak {}.",
}
"""Reactions of an offline visitor to a title, by the difference of its stars to the usual ones."""
_ENDS = {5: "I loved it, one of the best {}s I know.", 1: "I disliked it, a poor {}."}
"""Reactions to the best and the worst rating, whatever is usual."""


def reaction_to(genres: Sequence[str], stars: int, usual: float, noun: str) -> str:
    """Word an offline visitor's reaction to a title that it rated, compared with its usual rating."""
    apart = max(-2, min(2, stars - int(usual + 0.5)))
    return _ENDS.get(stars, _REACTIONS[apart]).format(name_kind(genres[:1], noun))


COMMENTS = {
    "negative": (
        "I stopped halfway; it drags and says nothing new.",
        "Overrated. The idea is good, what they made of it is not.",
        "Two hours of my life that nobody gives back.",
        "Flat from beginning to end.",
    ),
    "positive": (
        "One of the best I have come across this year.",
        "It stayed with me for days.",
        "Clever, well made, and never dull.",
        "I would go back to it at once.",
    ),
}
"""Comments by others shown on pages, by tone."""


def choose_comment(draw: Draw, item: str, tone: str) -> str:
    """Choose a comment on an item, the same on every page."""
    texts = COMMENTS[tone]
    return texts[draw.at(f"comment {tone}").below(len(texts), item=item, agent="", step=0)]


def like_these_query(noun: str) -> str:
    """Word the memory query about titles like these, before a page."""
    return f"Which {noun}s like these did I take before, and did I like them?"


def page_query(noun: str, genres: Sequence[str]) -> str:
    """Word the memory query about a page with titles of these genres."""
    return f"{like_these_query(noun)} ({', '.join(genres)})" if genres else like_these_query(noun)


def so_far_query(noun: str) -> str:
    """Word the memory query about the visit so far, before the next move."""
    return f"What {noun}s have I taken on the pages so far?"


def feeling_query(noun: str) -> str:
    """Word the memory query about the visitor's feelings, before the next move."""
    return f"Am I satisfied with the {noun}s that were recommended to me?"


def taken_memory(title: str, genres: Sequence[str], stars: int, words: str) -> str:
    """Word a title taken in a visit as an episodic memory."""
    kinds = f" ({', '.join(genres).lower()})" if genres else ""
    said = f', and said: "{words}"' if words else ""
    return f"You took {title}{kinds}, gave it {stars} of 5 stars{said}".removesuffix(".") + "."


def insight_words(*insights: str) -> str:
    """Word a visitor's insights for episodic memory and later prompts."""
    return f'When you looked back, you thought: "{" ".join(insights)}"'


def request_words(noun: str, genres: Sequence[str], liked: Sequence[str]) -> str:
    """Word a visitor's request for items of these genres, or similar to the liked ones, for a prompt."""
    like = f", something like {' or '.join(liked)}" if liked else ""
    return f"a {' or '.join(genres).lower()} {noun}{like}."
