"""Request to a declared system under test: which items come next for this user?"""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import Field

from openiir.plugin import Count, Draw, Facts, Question, Record


class RecommendedPage(Record):
    """A page of items, as a declared system replies."""

    items: tuple[Annotated[str, Field(max_length=200)], ...] = Field(max_length=1_000)


@dataclass(frozen=True)
class NextPageFacts(Facts):
    """Facts of the request for a page to a declared system.

    The rules of prompts to people do not hold for it.
    """

    user: str
    """Id of the user in the data set."""
    page: Count
    n: Count
    """Number of items wanted."""
    shown: tuple[str, ...]
    """Ids of the items shown to this user in the visit, in order."""

    def prompt(self) -> str:
        shown = ", ".join(self.shown) or "nothing"
        return f"Recommend {self.n} items to user {self.user}, page {self.page}. Shown so far: {shown}."


@dataclass(frozen=True)
class NextPage(Question[RecommendedPage]):
    """Request to a declared system: which items come next for this user?"""

    facts: NextPageFacts
    kind: ClassVar[str] = "recommender.next-page"
    tolerates_failure: ClassVar[bool] = True

    @property
    def subject(self) -> str:
        return f"{self.facts.user} page {self.facts.page}"

    def request(self) -> dict[str, Any]:
        """List the values that templates of a declared system may use beside the prompt."""
        facts = self.facts
        return {"user": facts.user, "page": facts.page, "n": facts.n, "shown": list(facts.shown)}

    def offline(self, draw: Draw) -> RecommendedPage:
        """Recommend nothing: a declared system has no offline model."""
        return RecommendedPage(items=())
