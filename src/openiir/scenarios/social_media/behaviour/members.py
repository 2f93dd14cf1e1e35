"""The members: where they stand at first, whom they follow, when they act, and what personas change of it."""

import re
from collections.abc import Mapping

import numpy as np

from openiir.kit.arrays import Bools, Floats, Ints
from openiir.kit.networks import FollowerGraph, attraction_graph
from openiir.plugin import InputError, Persona, Population, Stage, order_by, quantise
from openiir.scenarios.social_media.config import SocialMediaConfig
from openiir.scenarios.social_media.model.activity import DailyRhythm, draw_rates
from openiir.scenarios.social_media.model.cascades import p_for_reproduction
from openiir.scenarios.social_media.model.posts.reactions import ReactionFeatures, ReactionModel

MEDIAN_DELAY = 40.0
"""Median delay, in minutes, of a persona who reacts as fast as the crowd."""
_SAMPLE = 2_000
"""Pairs of readers and authors to whom reaction rates are calibrated."""
NEVER = -30.0
"""Log-odds, in relation to the crowd's, of a comment by those who never comment."""


class MemberTraits:
    """Traits of the members that are fixed during a run, as arrays with a row for each member."""

    def __init__(self, stage: Stage, cast: Mapping[int, Persona]) -> None:
        """`cast` has the study's personas by row; a member that is promoted later keeps what was drawn."""
        config, draw = stage.config, stage.draw("social_media.start", step=0)
        rows = np.arange(config.members)
        self._stage, self._draw, self._cast = stage, draw, cast
        awake: dict[int, Bools] = {}
        start = draw.at("stance").normal(config.stance_mean, config.stance_sd, agent=rows)
        self.delay, self.weight = np.ones(len(rows)), np.ones(len(rows))
        self.bias, self.comments = np.zeros(len(rows)), np.zeros(len(rows))
        for row, persona in cast.items():
            self.weight[row], self.bias[row] = persona.influence, read_bias(persona)
            if persona.stance is not None:
                start[row] = persona.stance
            if persona.activity is not None:
                awake[row] = np.isin(np.arange(24), persona.activity.active_hours)
                self.delay[row] = persona.activity.response_delay_minutes / MEDIAN_DELAY
                ratio = persona.activity.comments_per_hour / config.activity.comments
                self.comments[row] = np.log(ratio) if ratio else NEVER
        self.rhythm = DailyRhythm(len(rows), awake)
        self.start = quantise(np.clip(start, -1, 1))
        mix = -np.log(draw.at("interest").uniform(agent=rows[:, None], item=np.arange(len(config.topics))))
        self.interests: Floats = quantise(mix / mix.sum(axis=1, keepdims=True))
        rank = order_by(order_by(self.start))
        side = rank >= (len(rank) + 1) // 2  # halves, also where many stances are cut to the same number
        graph = attraction_graph(side, draw.at("follows"), config.followees, config.homophily, config.hubs)
        own = np.array(sorted(cast), dtype=np.int64)
        first, second = np.meshgrid(own, own, indexing="ij")
        known = draw.at("acquainted").chance(config.acquainted, agent=first, item=second) & (first != second)
        self.graph: FollowerGraph = graph.follow(first[known], second[known], step=0)
        self._audience = self.graph  # no follow change calibrates reactions anew, nor does a resumed run
        self._most_followed = order_by(-self.graph.followers.degrees)

    def change_follows(self, member: Ints, whom: Ints, began: bool, step: int) -> None:
        """Let each of the members follow (`began`) or unfollow the account beside it in `whom`."""
        self.graph = self.graph.follow(member, whom, step) if began else self.graph.unfollow(member, whom)

    def find_row(self, member: str, people: Population) -> int:
        """Find the row of a member by its id, or by its rank at the start (`parse_follower_rank`)."""
        rank = parse_follower_rank(member, len(self.start))
        return int(self._most_followed[rank - 1]) if rank else people.row(member)

    def expect_posts(self, start: float) -> Floats:
        """Compute the expected number of posts of each member in the round that starts at a minute."""
        rule = self._stage.config.activity
        rate = draw_rates(self._draw.at("rate"), np.arange(len(self.start)), rule.posts, rule.sigma)
        for row, persona in self._cast.items():
            if persona.activity is not None:
                rate[row] = persona.activity.posts_per_hour
        return rate * self._hours(start)

    def expect_visits(self, start: float) -> Floats:
        return self._stage.config.visits * self._hours(start)

    def _hours(self, start: float) -> Floats:
        """Weigh the hours of the round that starts at a minute by how active each member is in them."""
        config = self._stage.config
        active = self.rhythm.relative_activity(config.activity.hours, start, float(config.minutes))
        return active * config.minutes / 60

    def calibrate_reactions(self, config: SocialMediaConfig) -> tuple[ReactionModel, float]:
        """Calibrate reactions on typical posts; also return by how much false posts are more emotional."""
        draw, pair = self._draw, np.arange(_SAMPLE)
        reader = draw.at("sample/reader").below(config.members, item=pair)
        author = draw.at("sample/author").below(config.members, item=pair)
        written = config.writing.draw(self.start[author], self.bias[author], draw.at("sample", item=pair))
        agreement, weight = self.start[reader] * written["valence"], self.weight[author]
        sample = ReactionFeatures(agreement, written["novelty"], written["arousal"], weight=weight)
        model = config.reactions.calibrate(sample, p_for_reproduction(self._audience, config.reproduction))
        return model, model.find_emotion_gap(sample, config.falsehood)


def parse_follower_rank(member: str, members: int) -> int:
    """Parse K from an id `followed-K`, the member with the K-th most followers at the start; else 0."""
    found = re.fullmatch(r"followed-(\d{1,9})", member)
    if found and not 1 <= int(found[1]) <= members:
        raise InputError(f"{member} of {members} members; give followed-1 to followed-{members}")
    return int(found[1]) if found else 0


def read_bias(persona: Persona) -> float:
    """Read a persona's sentiment bias from its traits, -1 (negative) to 1; 0 where it has none."""
    bias = persona.traits.get("sentiment_bias", 0.0)
    if isinstance(bias, bool | str) or not -1 <= bias <= 1:
        raise InputError(f"{persona.id}: the trait sentiment_bias is {bias!r}; give a number from -1 to 1")
    return float(bias)
