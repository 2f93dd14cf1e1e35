"""Record of a visit so far, and its log entries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from openiir.kit.prompting import join_words
from openiir.scenarios.recommender.model import choice_model
from openiir.scenarios.recommender.model.choice_model import Liking
from openiir.scenarios.recommender.questions.act import Opinion, VisitMove
from openiir.scenarios.recommender.questions.browse import TitleVerdict
from openiir.scenarios.recommender.questions.page import TitleShown
from openiir.scenarios.recommender.questions.reflect import TakenTitle
from openiir.scenarios.recommender.questions.wording import ordinal
from openiir.scenarios.recommender.run.actions import SeenTitle, VisitorMoved


@dataclass
class PageView:
    """A title that was shown, with the visitor's verdict."""

    item: int
    page: int
    position: int
    """Position on the page, from 1."""
    shown: TitleShown
    rating: int | None = None
    """Rating, 1 to 5; None for a title passed over."""
    words: str = ""
    """Comment of the visitor."""
    opened: bool = False

    @property
    def title(self) -> str:
        return self.shown.title


@dataclass
class VisitRecord:
    """Pages, titles, ratings and satisfaction of one visit so far."""

    views: dict[int, PageView] = field(default_factory=dict)
    """Titles shown, by item, in the order shown."""
    pages: list[list[int]] = field(default_factory=list)
    """Items of each page, by position."""
    at: int = 0
    """Number of the current page, from 1."""
    gone: int = 0
    """Number of pages seen so far, including those seen again."""
    returned: int = 0
    """Number of steps back."""
    sought: str = ""
    """Title for which the visitor goes back."""
    taken: list[TakenTitle] = field(default_factory=list)
    taken_records: list[str] = field(default_factory=list)
    """Ids of the memory records of the titles taken, in the same order."""
    gains: list[float] = field(default_factory=list)
    """Gain of each page, 0 to 1."""
    satisfied: float = choice_model.START
    """Satisfaction, 0 to 1."""
    parting: str = ""
    """Remark of the visitor after the last page."""

    def on_page(self, items: Sequence[int]) -> list[PageView]:
        """Look up the views of these items."""
        return [self.views[item] for item in items]

    def most_attractive_passed(self, items: Sequence[int]) -> PageView | None:
        """Find the most attractive of these items that were passed over."""
        passed = [view for view in self.on_page(items) if view.rating is None]
        return max(passed, key=lambda view: view.shown.by.pull, default=None)

    def enter_view(self, item: int, look: TitleShown, verdict: TitleVerdict, opened: bool) -> PageView | None:
        """Record a verdict; returns the view if it is a new rating.

        A title once taken keeps its rating.
        """
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
    """Build the log entry of a visitor's move after a page.

    `satisfied` is None unless the behaviour model answered.
    """
    said = {name: getattr(move, name) for name in ("mood", "like_it_so_far", "tiredness", "do", "why")}
    number = opened.position if opened else None
    return VisitorMoved.of_own(system=system, page=page, number=number, satisfied=satisfied, **said)


def log_title(shown: TitleShown, verdict: TitleVerdict) -> SeenTitle:
    """Build the log entry of a title on a page, which can be read without the data set."""
    return SeenTitle.of_own(
        item=shown.by.item,
        title=shown.title,
        watch="yes" if verdict.take else "no",
        reason=verdict.thoughts,
        rating=verdict.rating,
        feeling=verdict.how_it_was,
    )


def page_memory(page: int, views: Sequence[PageView], acted: VisitMove | None) -> str:
    """Describe a page of a visit for episodic memory and later prompts."""
    taken, passed = (
        [str(Opinion(v.title, v.words, v.rating)) for v in views if (v.rating is not None) == took]
        for took in (True, False)
    )
    told = f"On the {ordinal(page)} page you took {join_words(taken) or 'nothing'}"
    told += f" and passed over {join_words(passed)}." if passed else "."
    return f"{told} {describe_mood(acted)}" if acted else told


def describe_mood(acted: VisitMove | VisitorMoved) -> str:
    """Describe a visitor's mood and remark after a page for a later prompt."""
    said = f' You said: "{acted.why}"' if acted.why else ""
    liking = _LIKING[acted.like_it_so_far]
    return f"Afterwards you felt {acted.mood} and were {acted.tiredness}. So far you {liking}.{said}"


_LIKING: Mapping[Liking, str] = {
    "not at all": "did not like the recommender at all",
    "no": "did not like the recommender",
    "so-so": "found the recommender so-so",
    "yes": "liked the recommender",
    "very much": "liked the recommender very much",
}
