"""What a visit keeps of each title, and what it leaves in the log."""

from collections.abc import Sequence
from dataclasses import dataclass

from openiir.scenarios.recommender.actions import Moved, Seen
from openiir.scenarios.recommender.questions.act import Acted
from openiir.scenarios.recommender.questions.browse import Verdict
from openiir.scenarios.recommender.questions.page import TitleShown


@dataclass
class View:
    """A title that was shown, and what came of it."""

    item: int
    page: int
    position: int
    shown: TitleShown
    rating: int | None = None
    words: str = ""
    """What the visitor said of it."""
    opened: bool = False

    @property
    def title(self) -> str:
        return self.shown.title


def moved(system: str, page: int, acted: Acted, opened: View | None, satisfied: float | None) -> Moved:
    """What a visitor said after a page, as the log keeps it; `satisfied` by the behaviour model alone."""
    said = {name: getattr(acted, name) for name in ("mood", "like_it_so_far", "tiredness", "do", "why")}
    number = opened.position if opened else None
    return Moved.of_own(system=system, page=page, number=number, satisfied=satisfied, **said)


def seen(shown: Sequence[TitleShown], verdicts: Sequence[Verdict]) -> tuple[Seen, ...]:
    """A page as the log keeps it, so that it can be told without the data."""
    return tuple(
        [
            Seen.of_own(
                item=s.by.item,
                title=s.title,
                watch="yes" if v.take else "no",
                reason=v.thoughts,
                rating=v.stars,
                feeling=v.how_it_was,
            )
            for s, v in zip(shown, verdicts, strict=True)
        ]
    )
