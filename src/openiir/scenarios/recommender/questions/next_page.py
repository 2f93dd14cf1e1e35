"""Request to a declared system under test: which items come next for this user?"""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import Field

from openiir.plugin import Count, Draw, Question, Record


class RecommendedPage(Record):
    """A page of recommended items, as a declared system replies."""

    items: tuple[Annotated[str, Field(max_length=200)], ...] = Field(max_length=1_000)


@dataclass(frozen=True)
class NextPage(Question[RecommendedPage]):
    """Request to a declared system: which items come next for this user?"""

    user: str
    """Id of the user in the data set."""
    page: Count
    n: Count
    """Number of items wanted."""
    shown: tuple[str, ...]
    """Ids of the items shown to this user in the visit, in order."""
    kind: ClassVar[str] = "recommender.next-page"
    tolerates_failure: ClassVar[bool] = True

    def prompt(self) -> str:
        shown = ", ".join(self.shown) or "nothing"
        return f"Recommend {self.n} items to user {self.user}, page {self.page}. Shown so far: {shown}."

    @property
    def subject(self) -> str:
        return f"{self.user} page {self.page}"

    def request(self) -> dict[str, Any]:
        """List the values that templates of a declared system may use beside the prompt."""
        return {"user": self.user, "page": self.page, "n": self.n, "shown": list(self.shown)}

    def offline(self, draw: Draw) -> RecommendedPage:
        """Recommend nothing: a declared system has no offline model."""
        return RecommendedPage(items=())
