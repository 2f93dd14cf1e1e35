"""Configuration of a recommender study: data, visitors, systems under test, pages and experiments."""

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from openiir.kit.items import DataSpec
from openiir.plugin import ConfigTable
from openiir.scenarios.recommender.model.recommenders.named import RecommenderName

WARM_UP = "first"
"""Name in the log of the system whose visit fills memories before the experiment."""
AGENT, BASELINES = "agent", ("popularity", "itemknn", "ease")
"""Names in the log of the scorers of taste discrimination: the visitors' interest, and baseline recommenders.
"""
LIKED = 4
"""Smallest rating that counts as liked (SimUSER, appendix A)."""
FIRST = 10
"""Number of top places of a list that offline and simulated measures cover."""
Experiment = Literal["visits", "discrimination", "rating", "thumbnails", "coherence", "personas"]
Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,39}$")]
Share = Annotated[float, Field(ge=0, lt=1)]


class RecommenderSystemSpec(ConfigTable):
    """Configuration of a recommender under test."""

    name: Name
    """Name of the system in tables."""
    by: RecommenderName = Field(examples=["random"])
    """Recommender to use: a built-in one, `package.module:callable`, `file:PATH`, `lenskit:PIPELINE`, or
    `system:NAME` for a system that the study declares."""
    options: dict[str, Any] = {}
    """Options of the recommender, such as `factors` of `als`."""


class VisitorSpec(ConfigTable):
    """Configuration of the visitors: persona, memory, perception, taste and leaving."""

    persona: bool = True
    """Whether visitors have the persona that was matched to them. Without one they know only their history.
    """
    memory: Literal["zero", "sim"] = "zero"
    """Content of memory at the start: the rating history (`zero`), or also a first visit to the `warm_up`
    system (`sim`)."""
    warm_up: RecommenderName = Field("als", examples=["random"])
    """Recommender of that first visit, which never shows held-out items."""
    warm_up_pages: int = Field(20, ge=1, le=200)
    """Number of pages of that first visit."""
    graph: bool = True
    """Whether visitors have the knowledge graph as memory."""
    perception: bool = True
    """Whether visitors see pictures, as captions."""
    self_ask: bool = True
    """Whether visitors recall memories by follow-up questions too."""
    reflection: bool = True
    """Whether visitors without a memory policy of their own reflect after each page. Of the policies, only
    `episodic+reflection` reflects."""
    taste: Literal["full", "content"] = "full"
    """Data behind the visitors' taste: their ratings and those of others (`full`), or only titles, genres and
    people (`content`)."""
    leaving: Literal["hazard", "patch"] = "hazard"
    """Rule for leaving: by a probability from satisfaction and fatigue (`hazard`), or by the marginal value
    theorem (`patch`)."""
    travel: float = Field(1.0, ge=0, le=100)
    """Cost of coming to the site, in pages (rule `patch`)."""
    exposure: bool = False
    """Whether seeing a genre repeatedly changes the visitor's attraction to it."""
    recalled: int = Field(5, ge=0, le=20)
    """Number of episodic memory records in a prompt (k1)."""
    similar: int = Field(3, ge=0, le=10)
    """Number of similar titles from the graph beside each title (k2)."""
    tokens: int = Field(100_000, ge=0)
    """Number of reply tokens that a visitor may spend on one visit."""


class PageSpec(ConfigTable):
    """Configuration of the recommender's pages."""

    items: int = Field(4, ge=1, le=20)
    """Number of titles on a page."""
    most: int = Field(20, ge=1, le=500)
    """Largest number of pages in one visit."""
    exits: bool = True
    """Whether visitors may leave before the last page."""
    returns: int = Field(2, ge=0, le=50)
    """Number of times a visitor may go back a page in one visit."""
    clicks: int = Field(1, ge=0, le=20)
    """Number of titles of a page that a visitor may open."""
    reviews: Literal["none", "count", "negative", "positive"] = "none"
    """Reviews shown on a page: none, their number, or the number and one negative or positive comment."""
    only: tuple[str, ...] = ()
    """Genres to which recommendations are restricted; all if empty."""


class BatterySpec(ConfigTable):
    """Configuration of batteries of ratings, which show how taste changes during a visit."""

    pages: tuple[Annotated[int, Field(ge=0, le=500)], ...] = ()
    """Numbers of the pages after which all visits pause and visitors rate a battery."""
    items: int = Field(500, ge=0, le=5_000)
    """Number of random items in a battery; 0 for a pause alone, at which a change can come."""


class VisitJudgeSpec(ConfigTable):
    """Configuration of the judge that grades how human visits look."""

    visits: int = Field(0, ge=0, le=10_000)
    """Number of visits to each system that are judged."""


class DiscriminationSpec(ConfigTable):
    """Configuration of taste discrimination: recognising rated items among others."""

    negatives: tuple[Annotated[int, Field(ge=1, le=19)], ...] = (1, 2, 3, 9)
    """Numbers of unrated items for each rated one (m), a task for each."""
    items: int = Field(20, ge=2, le=20)
    """Number of items in a task."""
    kinds: tuple[Literal["uniform", "popularity"], ...] = ("uniform", "popularity")
    """Ways to draw the unrated items: uniformly or by popularity."""
    least: int = Field(10, ge=1, le=1_000)
    """Smallest number of test items that a visitor must have."""

    @model_validator(mode="after")
    def _can_be_put(self) -> "DiscriminationSpec":
        met = {m: int(self.items / (m + 1) + 0.5) for m in self.negatives or (1,)}
        if none := [m for m, items in met.items() if not items]:
            raise ValueError(
                f"items = {self.items}: at 1:{none[0]} a task would hold no item that was met; put more items"
            )
        if self.least < (most := max(met.values())):
            raise ValueError(
                f"least = {self.least}, but a task of {self.items} items holds up to {most} that were met; "
                f"ask for at least {most}"
            )
        return self


class RatingSpec(ConfigTable):
    """Configuration of the experiment in which visitors rate held-out items."""

    items: int = Field(0, ge=0, le=1_000)
    """Number of held-out items that each visitor rates; 0 stands for all."""
    unknown: bool = False
    """Whether to test if the answerer knows each item, and report errors for known and unknown ones apart."""


class ThumbnailSpec(ConfigTable):
    """Configuration of the thumbnail experiment, which compares clicks on variants of a picture."""

    items: int = Field(100, ge=1, le=1_000)
    """Number of items whose pictures are compared."""


class CoherenceSpec(ConfigTable):
    """Configuration of the coherence experiment, which tests whether visitors take what they asked for."""

    requests: int = Field(5, ge=1, le=100)
    """Number of requests of each visitor."""


class RecommenderConfig(ConfigTable):
    """The `[config]` table of a recommender study."""

    experiment: Experiment = "visits"
    """Experiment to run, which decides what visitors are asked and which tables are filled."""
    data: DataSpec = DataSpec()
    data_seed: int = Field(42, ge=0, lt=2**63)
    """Seed of the split and of the choice of visitors. The study's seed drives their behaviour."""
    published_split: bool = False
    """Whether to use the publisher's split instead of one by `data_seed`. The data set must have one."""
    held_out: Share = 0.1
    """Share of each user's ratings in the validation fold, and as much again in the test fold."""
    users: int = Field(100, ge=1, le=1_000_000)
    """Number of visitors, drawn by the seed from the users with enough ratings."""
    systems: tuple[RecommenderSystemSpec, ...] = Field(
        ("random", "popularity", "als", "ease"), validate_default=True
    )
    """Recommenders under test. A name alone stands for a built-in one."""
    retrain_every: int = Field(0, ge=0, le=500)
    """Number of pages after which systems are fitted again with the visitors' new ratings; 0 for never."""
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
        # A system given by name alone is named after the last part of that name.
        listed = value if isinstance(value, (list, tuple)) else ()
        made = [{"name": _last_part(one), "by": one} if isinstance(one, str) else one for one in listed]
        return made or value

    @model_validator(mode="after")
    def _is_whole(self) -> "RecommenderConfig":
        names = [system.name for system in self.systems]
        if len(set(names)) < len(names):
            raise ValueError("two systems have one name; give each its own")
        if WARM_UP in names:
            raise ValueError(
                f"a system is called {WARM_UP!r}, as the log calls the visit that fills memories; name "
                "it otherwise"
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


def _last_part(name: str) -> str:
    return name.rpartition(":")[2].rpartition("/")[2].rpartition(".")[0] or name.rpartition(":")[2]
