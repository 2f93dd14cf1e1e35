"""Words of the recommender type: what people do with its items, and what offline visitors say."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from openiir.kit.prompting import bullet_lines, join_words
from openiir.plugin import Draw

if TYPE_CHECKING:
    from openiir.scenarios.recommender.questions.act import Acted
    from openiir.scenarios.recommender.questions.page import TitleFacts
    from openiir.scenarios.recommender.visit_record import View

VERBS = {
    "movie": ("watch", "watched"),
    "game": ("play", "played"),
    "book": ("read", "read"),
    "item": ("use", "used"),
}
"""By what an item is called: to do it, and having done it."""


_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def ordinal(n: int) -> str:
    """Which of several, from the first."""
    return _ORDINALS[n - 1] if n <= len(_ORDINALS) else f"{n}th"


def bullets(heading: str, lines: Sequence[str]) -> str:
    """Lines under a heading, as a paragraph of a prompt; nothing where there are none."""
    return f"{heading}\n{bullet_lines(lines)}\n\n" if lines else ""


def reason_for(title: "TitleFacts", pull: float, noun: str) -> str:
    """Why an offline visitor watches a title or passes it over: what speaks loudest of what the page shows."""
    if title.near:
        best = max(title.near, key=lambda near: abs(near.stars - 3))
        felt = "liked" if best.stars >= 4 else "did not like" if best.stars <= 2 else "found middling"
        return f"It is close to {best.title}, which I {felt} ({best.stars:g}/5)."
    entry = title.entry
    kinds = " and ".join(entry.genres[:2]).lower()
    if pull >= 0.4:
        return f"This {kinds + ' ' if kinds else ''}{noun} is my kind of thing."
    if pull <= -0.4:
        return f"I seldom care for {kinds or noun + 's like it'}."
    return (
        f"Others gave it {entry.average:.1f}/5." if entry.average is not None else "It leaves me undecided."
    )


def reaction_to(genres: Sequence[str], stars: int, noun: str) -> str:
    """What an offline visitor felt: its valence is (stars - 3) / 2, its object the title's genre."""
    kinds = genres[0].lower() if genres else noun
    if stars >= 5:
        return f"Loved it: {kinds} at its best."
    if stars == 4:
        return f"Enjoyed it; good {kinds}."
    if stars == 3:
        return f"All right, but no {kinds} I would think of again."
    return f"Let down by this {kinds}." if stars == 2 else f"Disliked it; a waste of an evening on {kinds}."


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
"""What a page shows as a comment of somebody else's, by its tone."""


def comment(draw: Draw, item: str, tone: str) -> str:
    """A comment on an item, the same on whichever page it comes."""
    texts = COMMENTS[tone]
    return texts[draw.at(f"comment {tone}").below(len(texts), item=item, agent="", step=0)]


def like_these(noun: str) -> str:
    """The question to memory in front of a page."""
    return f"Which {noun}s like these did I take before, and did I like them?"


def query_words(noun: str, genres: Sequence[str]) -> str:
    """The question to memory in front of a page with these genres."""
    return f"{like_these(noun)} ({', '.join(genres)})" if genres else like_these(noun)


def so_far_query(noun: str) -> str:
    """The first question to memory before deciding what to do next."""
    return f"What {noun}s have I taken on the pages so far?"


def feeling_query(noun: str) -> str:
    """The second."""
    return f"Am I satisfied with the {noun}s that were recommended to me?"


def page_memory(page: int, views: "Sequence[View]", acted: "Acted | None") -> str:
    """A page of a visit as episodic memory keeps it and as later prompts tell it."""
    taken = [
        _with_words(view.title, view.words, f"{view.rating} of 5")
        for view in views
        if view.rating is not None
    ]
    passed = [_with_words(view.title, view.words) for view in views if view.rating is None]
    told = f"On the {ordinal(page)} page you took {join_words(taken) or 'nothing'}"
    told += f" and passed over {join_words(passed)}." if passed else "."
    return f"{told} {afterwards(acted)}" if acted else told


def _with_words(title: str, words: str, stars: str = "") -> str:
    """A title with stars and what was said of it, in brackets."""
    inside = ": ".join(filter(None, (stars, f'"{words}"' if words else "")))
    return f"{title} ({inside})" if inside else title


def afterwards(acted: "Acted") -> str:
    """What somebody said after a page, as a later prompt tells it."""
    said = f' You said: "{acted.why}"' if acted.why else ""
    return f"Afterwards you felt {acted.mood} and were {acted.tiredness}; did you like it so far? {acted.like_it_so_far.capitalize()}.{said}"


def taken_memory(title: str, genres: Sequence[str], stars: int, words: str) -> str:
    """A title taken in a visit as episodic memory keeps it."""
    kinds = f" ({', '.join(genres).lower()})" if genres else ""
    said = f', and said: "{words}"' if words else ""
    return f"You took {title}{kinds}, gave it {stars} of 5 stars{said}".removesuffix(".") + "."


def insight_words(text: str) -> str:
    """What somebody learnt, as episodic memory keeps it."""
    return f'You noticed: "{text}"'


def history_words(title: str, stars: float, genres: Sequence[str]) -> str:
    """A rating of the past as episodic memory keeps it: liked from 4 of 5, disliked up to 2, neutral between."""
    felt = "liked" if stars >= 4 else "disliked" if stars <= 2 else "felt neutral about"
    kinds = f", {join_words(genres).lower()}" if genres else ""
    return f"You {felt} {title}{kinds}: {stars:g} of 5 stars."


def request_words(noun: str, genres: Sequence[str], liked: Sequence[str]) -> str:
    """What a visitor asks for."""
    like = f", something like {' or '.join(liked)}" if liked else ""
    return f"a {' or '.join(genres).lower()} {noun}{like}."
