"""The social_media type: members post, read and share on a network, round by round."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from openiir.kit.rankers import check_name
from openiir.plugin import (
    Action,
    Control,
    DepartureEvent,
    InputError,
    Interview,
    Log,
    Measure,
    Members,
    Persona,
    Record,
    Scenario,
    Stage,
    Step,
    Surface,
)
from openiir.scenarios.social_media.behaviour.members import parse_follower_rank, read_bias
from openiir.scenarios.social_media.config import EVENTS, PostEvent, SocialMediaConfig
from openiir.scenarios.social_media.measures.definitions import DEFINITIONS
from openiir.scenarios.social_media.measures.metrics import medium_measures
from openiir.scenarios.social_media.model.posts.post_rankers import POST_RANKERS
from openiir.scenarios.social_media.run.actions import (
    Countered,
    Exposed,
    Followed,
    Injected,
    Searched,
    SpreadHalted,
)
from openiir.scenarios.social_media.run.society import USER, Society
from openiir.scenarios.social_media.views import SURFACES

_SMALL = {"members": 300, "rounds": 12, "activity.posts": 0.1}


class SocialMedia(Scenario):
    """Members of a network post, look at posts, react and repost, round by round."""

    name = "social_media"
    Config = SocialMediaConfig
    structural = frozenset(
        "statement topics members rounds minutes stance_mean stance_sd followees homophily acquainted site "
        "profiles hubs".split()
    )
    events = EVENTS
    remembers = shares = True
    step_word = "round"
    closing = "spread"
    definitions = DEFINITIONS
    controls = (
        Control(
            "members whom nothing moves",
            "stance_moved",
            {**_SMALL, "beliefs.rate": 0.0},
            within=1e-6,  # stances are kept on a grid
        ),
        Control(
            "posts that are passed on often, and seldom",
            "cascade_size",
            {**_SMALL, "reproduction": 2.0},
            baseline={**_SMALL, "reproduction": 0.2},
            least=0.5,
        ),
    )
    audited = {"members": 120, "rounds": 10, "activity.posts": 0.1}
    acts_with = {
        "visits": {"site": "reddit"},
        "reactions.proof": {"site": "twitter"},
        **{f"follows.{key}": {"site": "twitter"} for key in ("rate", "leave", "tolerance")},
        **{
            f"follows.{key}": {"site": "twitter", "reproduction": 3.0, "follows.rate": 1.0}
            for key in ("popularity", "similarity")
        },
        "beliefs.bound": {"beliefs.rule": "bounded"},
        **{f"beliefs.{key}": {"beliefs.rule": "repulsion"} for key in ("repel_beyond", "repulsion")},
    }

    def actions(self) -> Sequence[type[Action]]:
        return (Injected, Exposed, Followed, Countered, SpreadHalted, Searched)

    def check(self, config: Any, personas: Sequence[Persona]) -> None:
        if config.ranker:
            check_name(config.ranker, "config.ranker", POST_RANKERS)
        list_members(config, personas)
        if not any(config.activity.hours):
            raise InputError(
                "config.activity.hours has no hour above 0; give 24 weights, at least one above 0"
            )
        if config.followees > config.members / 2 - 1:
            raise InputError(
                f"config.followees = {config.followees:g} of {config.members} members, of whom each side has "
                f"half; follow at most {config.members // 2 - 1}, or have more members"
            )
        for persona in personas:
            read_bias(persona)

    def check_events(
        self, config: Any, events: Sequence[tuple[int, Record]], personas: Sequence[Persona]
    ) -> None:
        posts, left = set[str](), set[str]()
        for step, event in events:
            if (member := getattr(event, "member", None)) and not parse_follower_rank(member, config.members):
                list_members(config, personas).row(member)
            if member in left:
                raise InputError(f"round {step}: {member} has left by then; name somebody who is there")
            left |= {event.member} if isinstance(event, DepartureEvent) else set()
            if isinstance(event, PostEvent):
                if event.post in posts:
                    raise InputError(
                        f"round {step}: a post is called {event.post!r} already; give each its own name"
                    )
                posts.add(event.post)
            elif (name := getattr(event, "post", None)) and name not in posts:
                raise InputError(
                    f"round {step}: no post is called {name!r} by then; schedule an event of the kind post "
                    "before"
                )

    async def schedule(self, stage: Stage) -> AsyncIterator[Step]:
        society = Society(stage)
        await stage.restore_memories(society.writer.memories)
        while stage.step <= stage.config.rounds:
            await society.run_round()
            stage.keep(society.writer.memories, **society.state())
            yield Step(f"round {stage.step}", at=stage.clock + stage.config.minutes)

    def metrics(self, log: Log) -> Mapping[str, Measure]:
        return medium_measures(log)

    def surfaces(self) -> Sequence[Surface | Interview]:
        return SURFACES


def list_members(config: Any, personas: Sequence[Persona]) -> Members:
    """Return the members; raises InputError if there are more personas than members."""
    return Members(config.members, USER, dict(enumerate(personas)))
