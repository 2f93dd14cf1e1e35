"""What a recommender study's `[config]` holds: data, visitors, systems under test, pages, and which experiment it is."""

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from openiir.kit.items import DataSpec
from openiir.kit.rankers.recommenders import RecommenderName
from openiir.plugin import Record

WARM_UP = "first"
"""What the system of the visit that fills memories is called in the log."""
AGENT, BASELINES = "agent", ("popularity", "itemknn", "ease")
"""Who tells items met from others, in the log: visitors by their interest, and recommenders beside them."""
LIKED = 4
"""Rated so or better is liked (SimUSER, appendix A)."""
FIRST = 10
"""Places of a list that are compared offline and simulated."""
Experiment = Literal["visits", "discrimination", "rating", "thumbnails", "coherence", "personas"]
Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,39}$")]
Share = Annotated[float, Field(ge=0, lt=1)]


class RecommenderSystemSpec(Record):
    """A recommender under test."""

    name: Name
    """As tables call it."""
    by: RecommenderName = Field(examples=["random"])
    """A built-in recommender, `package.module:callable`, `file:PATH`, `lenskit:PIPELINE`, or `system:NAME` for a
    system that the study declares."""
    options: dict[str, Any] = {}


class VisitorSpec(Record):
    """Who visits, and what they are made of: the variants and ablations of one study."""

    persona: bool = True
    """Whether visitors have the persona that was matched to them; without one they know only their history."""
    memory: Literal["zero", "sim"] = "zero"
    """What fills memory: the history alone, or also a first visit to the `warm_up` system."""
    warm_up: RecommenderName = Field("als", examples=["random"])
    """Which recommender that first visit is to; held-out items are never on it."""
    warm_up_pages: int = Field(20, ge=1, le=200)
    graph: bool = True
    """Whether visitors have the knowledge graph as memory."""
    perception: bool = True
    """Whether they see pictures, in words."""
    self_ask: bool = True
    """Whether they ask follow-up questions of their memory."""
    reflection: bool = True
    """Whether those reflect after each page who name no memory policy; `episodic+reflection` does, the others do not."""
    taste: Literal["full", "content"] = "full"
    """What their own taste rests on: their ratings and those of others, or titles, genres and people alone."""
    leaving: Literal["hazard", "patch"] = "hazard"
    """By a hazard of satisfaction and fatigue, or by the marginal value theorem."""
    travel: float = Field(1.0, ge=0, le=100)
    """What coming costs, in pages (patch)."""
    exposure: bool = False
    """Whether being shown a genre again and again changes how it draws one."""
    recalled: int = Field(5, ge=0, le=20)
    """Records of episodic memory in a prompt (k1)."""
    similar: int = Field(3, ge=0, le=10)
    """Close titles from the graph beside each title (k2)."""
    tokens: int = Field(100_000, ge=0)
    """Reply tokens that a visitor may spend on one visit."""


class PageSpec(Record):
    """The recommender's pages."""

    items: int = Field(4, ge=1, le=20)
    most: int = Field(20, ge=1, le=500)
    """Pages of one visit."""
    exits: bool = True
    """Whether visitors may leave before the last page."""
    returns: int = Field(2, ge=0, le=50)
    """How often one may go back a page in one visit."""
    clicks: int = Field(1, ge=0, le=20)
    """How many titles of a page one may open."""
    reviews: Literal["none", "count", "negative", "positive"] = "none"
    """What a page shows of reviews: nothing, their number, or also one comment."""
    only: tuple[str, ...] = ()
    """Genres that alone are recommended; all, without."""


class BatterySpec(Record):
    """Ratings asked for in between: how taste moves in a visit."""

    pages: tuple[Annotated[int, Field(ge=0, le=500)], ...] = ()
    """After which pages."""
    items: int = Field(500, ge=1, le=5_000)
    """How many random items each visitor rates."""


class VisitJudgeSpec(Record):
    """A judge of how human visits look."""

    visits: int = Field(0, ge=0, le=10_000)
    """How many of each system's visits are judged."""


class DiscriminationSpec(Record):
    """Telling items one has met from others."""

    negatives: tuple[Annotated[int, Field(ge=1, le=19)], ...] = (1, 2, 3, 9)
    """How many items that were never met stand beside each that was (m)."""
    items: int = Field(20, ge=2, le=20)
    """Items a task."""
    kinds: tuple[Literal["uniform", "popularity"], ...] = ("uniform", "popularity")
    """How items never met are drawn."""
    least: int = Field(10, ge=1, le=1_000)
    """Test items that a visitor needs to have."""

    @model_validator(mode="after")
    def _can_be_put(self) -> "DiscriminationSpec":
        if fewest := [m for m in self.negatives if not int(self.items / (m + 1) + 0.5)]:
            raise ValueError(
                f"items = {self.items}: at 1:{fewest[0]} a task would hold no item that was met; put more items"
            )
        met = int(self.items / (min(self.negatives, default=1) + 1) + 0.5)
        if self.least < met:
            raise ValueError(
                f"least = {self.least}, but a task of {self.items} items holds up to {met} that were met; ask for at least {met}"
            )
        return self


class RatingSpec(Record):
    """Rating held-out items."""

    items: int = Field(0, ge=0, le=1_000)
    """Held-out items a visitor is asked for; 0 stands for all."""
    unknown: bool = False
    """Whether items are sorted by whether the answerer knows them, and errors told apart."""


class ThumbnailSpec(Record):
    """Which picture makes people click."""

    items: int = Field(100, ge=1, le=1_000)


class CoherenceSpec(Record):
    """Whether visitors take what they asked for and leave what they did not."""

    requests: int = Field(5, ge=1, le=100)
    """A visitor."""


class RecommenderConfig(Record):
    """The `[config]` table."""

    experiment: Experiment = "visits"
    data: DataSpec = DataSpec()
    data_seed: int = Field(42, ge=0, lt=2**63)
    """What the split and the choice of visitors are drawn by; the study's seed draws what they do."""
    published_split: bool = False
    """Whether the publisher's split is taken, where there is one, instead of one by `data_seed`."""
    held_out: Share = 0.1
    """Share of each user's ratings in the validation fold, and as much again in the test fold."""
    users: int = Field(100, ge=1, le=1_000_000)
    """Visitors, drawn by the seed from the users with enough ratings."""
    systems: tuple[RecommenderSystemSpec, ...] = Field(
        ("random", "popularity", "als", "ease"), validate_default=True
    )
    """Recommenders under test; a name alone stands for a built-in one."""
    retrain_every: int = Field(0, ge=0, le=500)
    """Pages after which systems are fitted anew, with what visitors have rated since; 0 for never."""
    visitors: VisitorSpec = VisitorSpec()
    page: PageSpec = PageSpec()
    battery: BatterySpec = BatterySpec()
    judge: VisitJudgeSpec = VisitJudgeSpec()
    discrimination: DiscriminationSpec = DiscriminationSpec()
    rating: RatingSpec = RatingSpec()
    thumbnails: ThumbnailSpec = ThumbnailSpec()
    coherence: CoherenceSpec = CoherenceSpec()

    @field_validator("systems", mode="before")
    @classmethod
    def _by_name(cls, value: Any) -> Any:
        if not isinstance(value, (list, tuple)):
            return value
        return [_spec_of_name(one) if isinstance(one, str) else one for one in value]

    @model_validator(mode="after")
    def _is_whole(self) -> "RecommenderConfig":
        names = [system.name for system in self.systems]
        if len(set(names)) < len(names):
            raise ValueError("two systems have one name; give each its own")
        if WARM_UP in names:
            raise ValueError(
                f"a system is called {WARM_UP!r}, as the log calls the visit that fills memories; name it otherwise"
            )
        if self.experiment == "visits" and not names:
            raise ValueError('systems = []: visits need a recommender to go to, such as "popularity"')
        if self.held_out * 2 >= 1:
            raise ValueError(
                f"held_out = {self.held_out:g} twice leaves nothing to train on; hold out less than half"
            )
        if late := [page for page in self.battery.pages if page > self.page.most]:
            raise ValueError(
                f"battery.pages holds {late[0]}, but a visit has {self.page.most} pages (page.most)"
            )
        return self


def _spec_of_name(name: str) -> dict[str, str]:
    """Expand a system that is given by name alone; it is called after the part behind the last colon or dot."""
    return {
        "name": name.rpartition(":")[2].rpartition("/")[2].rpartition(".")[0] or name.rpartition(":")[2],
        "by": name,
    }
