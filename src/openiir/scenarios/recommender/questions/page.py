"""A page of recommendations as a visitor sees it."""

from dataclasses import dataclass

from openiir.scenarios.recommender.brain import PICTURE, REVIEW
from openiir.scenarios.recommender.perception import appeal_in


@dataclass(frozen=True)
class Similar:
    """A title that the visitor's memory holds next to one on the page."""

    title: str
    rating: float
    own: bool
    """Whether the visitor rated it; otherwise it is the mean of others."""


@dataclass(frozen=True)
class Shown:
    """A title on a page; what is not known of it is empty or None."""

    item: str
    """Its id in the data set."""
    title: str
    genres: tuple[str, ...] = ()
    average: float | None = None
    """Mean rating in the training data, two decimals."""
    reviews: int | None = None
    """How many rated it, where the page shows that."""
    review: str = ""
    """A comment that the page shows."""
    tone: str = ""
    """Of the comment: `positive` or `negative`."""
    summary: str = ""
    caption: str = ""
    similar: tuple[Similar, ...] = ()
    known: float = 1.0
    """How widely known it is: the share of titles that fewer people rated."""
    pull: float = 0.0
    """How it draws the visitor, 0 for an average title."""
    expected: float = 3.0
    """The rating the visitor expects to give, 1 to 5."""

    @property
    def novelty(self) -> float:
        return 1 - self.known

    @property
    def shift(self) -> float:
        """What comments, their number, and what the picture shows add to the log-odds of watching."""
        many = REVIEW["count"] if self.reviews is not None and self.reviews > 20 else 0.0
        return many + REVIEW.get(self.tone, 0.0) + PICTURE * appeal_in(self.caption)


def page_words(page: int, items: tuple[Shown, ...]) -> str:
    """The page as text."""
    return "\n".join([f"PAGE {page}", *(_item_words(n, item) for n, item in enumerate(items, 1))])


def _item_words(n: int, item: Shown) -> str:
    lines = [f"{n}. {item.title}" + (f" [{', '.join(item.genres)}]" if item.genres else "")]
    if item.average is not None:
        count = f" by {item.reviews} people" if item.reviews is not None else ""
        lines.append(f"Others' mean rating: {item.average:.2f}/5{count}")
    elif item.reviews is not None:
        lines.append(f"Rated by {item.reviews} people")
    if item.summary:
        lines.append(f"About: {item.summary}")
    if item.caption:
        lines.append(f"Picture: {item.caption}")
    if item.review:
        lines.append(f"A {item.tone} comment: {item.review}")
    if item.similar:
        near = ", ".join(f"{s.title} ({'you' if s.own else 'others'}: {s.rating:.1f}/5)" for s in item.similar)
        lines.append(f"Close to it in your memory: {near}")
    lines.append(
        f"How it draws you: {item.pull:+.3f} (0: like an average title); you would expect to rate it "
        f"{item.expected:.3f}/5; known more widely than {item.known:.0%} of titles"
    )
    return "\n   ".join(lines)
