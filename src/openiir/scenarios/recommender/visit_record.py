"""The record of a visit so far, and its entries in the log."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from openiir.scenarios.recommender import choice_model
from openiir.scenarios.recommender.actions import SeenTitle, VisitorMoved
from openiir.scenarios.recommender.questions.act import VisitMove
from openiir.scenarios.recommender.questions.browse import TitleVerdict
from openiir.scenarios.recommender.questions.page import TitleShown
from openiir.scenarios.recommender.questions.reflect import TakenTitle


@dataclass
class PageView:
    """A title that was shown, with the visitor's verdict."""

    item: int
    page: int
    position: int
    """Place on the page, from 1."""
    shown: TitleShown
    rating: int | None = None
    """1 to 5; None for a title passed over."""
    words: str = ""
    """What the visitor said of it."""
    opened: bool = False

    @property
    def title(self) -> str:
        return self.shown.title


@dataclass
class VisitRecord:
    """Pages, titles, ratings and satisfaction of one visit."""

    views: dict[int, PageView] = field(default_factory=dict)
    """By item, in the order shown."""
    pages: list[list[int]] = field(default_factory=list)
    """Items of each page, by position."""
    at: int = 0
    """The page looked at, from 1."""
    gone: int = 0
    """Pages gone through, those gone back to included."""
    returned: int = 0
    """Steps back."""
    sought: str = ""
    """The title that the visitor goes back for."""
    taken: list[TakenTitle] = field(default_factory=list)
    taken_records: list[str] = field(default_factory=list)
    """Ids of the memory records of what was taken, in the same order."""
    gains: list[float] = field(default_factory=list)
    """What each page gave, 0 to 1."""
    satisfied: float = choice_model.START
    """0 to 1."""
    parting: str = ""
    """What the visitor said after the last page."""

    def on_page(self, items: Sequence[int]) -> list[PageView]:
        """Get the views of these items."""
        return [self.views[item] for item in items]

    def most_attractive_passed(self, items: Sequence[int]) -> PageView | None:
        """Find the most attractive of these items that were passed over."""
        passed = [view for view in self.on_page(items) if view.rating is None]
        return max(passed, key=lambda view: view.shown.by.pull, default=None)

    def enter_view(self, item: int, look: TitleShown, verdict: TitleVerdict, opened: bool) -> PageView | None:
        """Enter a verdict; returns the view where it is a new rating. A title once taken keeps its rating."""
        if item not in self.views:
            position = self.pages[self.at - 1].index(item) + 1
            self.views[item] = PageView(item, self.at, position, look)
        view = self.views[item]
        view.opened = view.opened or opened
        if view.rating is not None:
            return None
        view.words = (verdict.take and verdict.how_it_was) or verdict.thoughts
        view.rating = verdict.rating
        return view if view.rating is not None else None


def log_move(
    system: str, page: int, move: VisitMove, opened: PageView | None, satisfied: float | None
) -> VisitorMoved:
    """Build the log's entry of what a visitor said after a page; `satisfied` is None unless the behaviour model answered."""
    said = {name: getattr(move, name) for name in ("mood", "like_it_so_far", "tiredness", "do", "why")}
    number = opened.position if opened else None
    return VisitorMoved.of_own(system=system, page=page, number=number, satisfied=satisfied, **said)


def log_titles(shown: Sequence[TitleShown], verdicts: Sequence[TitleVerdict]) -> tuple[SeenTitle, ...]:
    """Build the log's entries of a page, with titles, so that the log can be read without the data."""
    return tuple(
        [
            SeenTitle.of_own(
                item=s.by.item,
                title=s.title,
                watch="yes" if v.take else "no",
                reason=v.thoughts,
                rating=v.rating,
                feeling=v.how_it_was,
            )
            for s, v in zip(shown, verdicts, strict=True)
        ]
    )
