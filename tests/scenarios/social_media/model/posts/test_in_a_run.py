"""A small type that lives on the kit's posts: posts, feeds and reactions of a crowd, resumed from checkpoints."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from lab.followed_posts import FollowedPosts
from openiir.kit.counts import draw_counts
from openiir.kit.networks import power_law_graph
from openiir.kit.rankers import NONE, best, ranker
from openiir.plugin import Action, Log, Measure, Persona, Record, Scenario, Stage, Step, Surface, Table
from openiir.scenarios.social_media.model.activity import draw_rates
from openiir.scenarios.social_media.model.posts.post_rankers import POST_RANKERS, PostView
from openiir.scenarios.social_media.model.posts.post_store import Posts
from openiir.scenarios.social_media.model.posts.reactions import ACTIONS, ReactionFeatures, ReactionRule
from openiir.scenarios.social_media.model.posts.sites import SeenPosts
from openiir.testing import ScenarioContract
from openiir.testing.offline import run_loaded


class SquareConfig(Record):
    members: int = Field(150, ge=2)
    rounds: int = Field(3, ge=1)
    ranker: Literal["hot", "chronological", "similarity"] = "hot"
    reactions: ReactionRule = ReactionRule(like=0.2)


class Square(Scenario):
    """A square on which members post, read what those they follow wrote, like and repost."""

    name: ClassVar[str] = "square"
    Config: ClassVar[type[Record]] = SquareConfig
    structural: ClassVar[frozenset[str]] = frozenset({"members"})
    promotes: ClassVar[bool] = False

    def actions(self) -> Sequence[type[Action]]:
        return ()

    async def schedule(self, stage: Stage) -> AsyncIterator[Step]:
        people = stage.population(stage.config.members)
        start = stage.draw("square.start", step=0)
        rates = people.column("rate", draw_rates(start, people.rows, 0.6))
        stance = people.column("stance", 2 * start.at("stance").uniform(agent=people.rows) - 1)
        graph = power_law_graph(people.size, start, least=3)
        posts, seen = Posts(2, stage.restored), SeenPosts((stage.restored or {}).get("seen"))
        if self.promotes:
            stage.promote(17, Persona(id="jo", name="Jo", bio="Jo keeps the square clean."))
        while stage.step <= stage.config.rounds:
            first, draw = len(posts), stage.draw("square")
            counts = draw_counts(draw.at("posts"), people.rows, rates)
            author = np.repeat(people.rows, counts)
            texts = [f"Member {member} speaks up." for member in author.tolist()]
            mixes = np.stack((stance[author] > 0, stance[author] <= 0), axis=1).astype(float)
            clock = float(60 * stage.step)
            feelings = {name: draw.at(name).uniform(agent=author) for name in ("novelty", "arousal")}
            feelings["valence"] = stance[author]
            posts.add(author, step=stage.step, minute=clock, topics=mixes, texts=texts, **feelings)
            items = FollowedPosts(graph, posts).find_latest(people.rows, 20)
            blocked = (items == NONE) | seen.contains(people.rows[:, None], items)
            seen.add(*self._read(stage, posts, items, blocked, stance, clock + 30))
            stage.columns("posts", posts.table(first))
            stage.keep(seen=seen.state(), **posts.state())
            yield Step(f"round {stage.step}")

    def _read(
        self, stage: Stage, posts: Posts, items: Any, blocked: Any, stance: Any, minute: float
    ) -> tuple[Any, Any]:
        """Let everybody read and react; returns who was shown what."""
        readers = np.arange(len(stance))
        interests = np.stack((stance > 0, stance <= 0), axis=1).astype(float)
        view = PostView(posts, readers, items, minute, interests, stage.draw("square.rank"))
        served = best(ranker(stage.config.ranker, POST_RANKERS)(view), items, blocked, 5).items
        row, slot = np.nonzero(served != NONE)
        post = served[row, slot]
        weight = 1.0 + posts["author"][post] % 3
        features = ReactionFeatures.of_posts(posts, post, stance[row] * posts["valence"][post], weight)
        model = stage.config.reactions.calibrate(ReactionFeatures(np.linspace(-1, 1, 21), 0.5, 0.5), 0.05)
        did = model.choose(features, stage.draw("square.react", agent=row, item=post))
        posts.count_reactions("shown", post)
        posts.count_reactions("likes", post[did == ACTIONS.index("like")])
        again = did == ACTIONS.index("repost")
        posts.repost(row[again], post[again], step=stage.step, minute=minute)
        stage.columns("reactions", {"member": row, "post": post, "did": did})
        return row, post

    def metrics(self, log: Log) -> Mapping[str, Measure]:
        did = log.columns("reactions", ["did"]).get("did", np.zeros(0))
        return {"likes": Measure(value=float((did == ACTIONS.index("like")).sum()))}

    def surfaces(self) -> Sequence[Surface]:
        return (Surface("posts", "table", "Posts", show_posts),)


def show_posts(log: Log) -> Table:
    rows = log.table("posts")
    return Table(columns=("id", "text"), rows=tuple((row["id"], row["text"] or "") for row in rows))


class TestContract(ScenarioContract):
    type = Square
    study: ClassVar[dict[str, Any]] = {"type": "square", "seed": 7}

    def test_a_promotion_changes_no_post_and_no_reaction(self, loaded, finished, tmp_path, monkeypatch):
        monkeypatch.setattr(Square, "promotes", True)
        promoted = run_loaded(loaded, tmp_path / "promoted")
        with promoted.run:
            assert promoted.sections["events"] != finished.sections["events"]
            assert promoted.sections["tables"] == finished.sections["tables"]
