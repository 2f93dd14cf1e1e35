"""Words of the recommender type: what people do with its items, and what offline visitors say."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from openiir.plugin import Draw

if TYPE_CHECKING:
    from openiir.scenarios.recommender.questions.page import Shown
    from openiir.scenarios.recommender.visit import View

VERBS = {"movie": ("watch", "watched"), "game": ("play", "played"), "book": ("read", "read"), "item": ("take", "took")}
"""By what an item is called: to do it, and having done it."""


def reason_for(item: "Shown", noun: str) -> str:
    """Why an offline visitor watches a title or passes it over: what speaks loudest of what the page shows."""
    own = [s for s in item.similar if s.own]
    if own:
        best = max(own, key=lambda s: abs(s.rating - 3))
        felt = "liked" if best.rating >= 4 else "did not like" if best.rating <= 2 else "found middling"
        return f"It is close to {best.title}, which I {felt} ({best.rating:g}/5)."
    kinds = " and ".join(item.genres[:2]).lower()
    if item.pull >= 0.4:
        return f"This {kinds + ' ' if kinds else ''}{noun} is my kind of thing."
    if item.pull <= -0.4:
        return f"I seldom care for {kinds or noun + 's like it'}."
    return f"Others gave it {item.average:.1f}/5." if item.average is not None else "It leaves me undecided."


def reaction_to(item: "Shown", rating: int, noun: str) -> str:
    """What an offline visitor felt: its valence is (rating - 3) / 2, its object the title's genre."""
    kinds = item.genres[0].lower() if item.genres else noun
    if rating >= 5:
        return f"Loved it: {kinds} at its best."
    if rating == 4:
        return f"Enjoyed it; good {kinds}."
    if rating == 3:
        return f"All right, but no {kinds} I would think of again."
    return f"Let down by this {kinds}." if rating == 2 else f"Disliked it; a waste of an evening on {kinds}."


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


def page_memory(page: int, views: "Sequence[View]", noun: str) -> str:
    """A page as episodic memory keeps it."""
    taken = [f"{v.shown.title} ({v.rating}/5)" for v in views if v.rating is not None]
    passed = [v.shown.title for v in views if v.rating is None]
    told = f"On page {page} the recommender showed me {len(views)} {noun}s."
    told += f" I took {', '.join(taken)}." if taken else " I took none of them."
    return told + (f" I passed over {', '.join(passed)}." if passed else "")


def insight_words(text: str) -> str:
    """An insight as episodic memory keeps it."""
    return f"Looking back, I noticed: {text}"


def history_words(title: str, rating: float, genres: Sequence[str]) -> str:
    """A rating of the past as episodic memory keeps it: liked from 4, disliked up to 2, neutral between."""
    felt = "liked" if rating >= 4 else "disliked" if rating <= 2 else "felt neutral about"
    kinds = f" ({', '.join(genres).lower()})" if genres else ""
    return f"I {felt} {title}{kinds}; I rated it {rating:g}/5."


def request_words(noun: str, genres: Sequence[str], liked: Sequence[str]) -> str:
    """What a visitor asks for."""
    like = f", something like {' or '.join(liked)}" if liked else ""
    return f"a {' or '.join(genres).lower()} {noun}{like}."
