"""The members: where they stand at the start, whom they follow, how often they act, and what personas change of it."""

from collections.abc import Mapping

import numpy as np

from openiir.kit.activity import average_profile, draw_rates, scale_profile
from openiir.kit.arrays import Floats
from openiir.kit.cascades import p_for_reproduction
from openiir.kit.networks import FollowerGraph, block_graph
from openiir.kit.posts import ReactionFeatures, ReactionModel
from openiir.plugin import Draw, InputError, Persona, quantise
from openiir.scenarios.social_media.config import SocialMediaConfig

MEDIAN_DELAY = 40.0
"""Median delay, in minutes, of a persona who reacts as fast as the crowd: the default of an activity profile."""
_SAMPLE = 2_000
"""Pairs of readers and authors to whom reaction rates are calibrated."""
NEVER = -30.0
"""Log-odds, in relation to the crowd's, of a comment by those who never comment."""


class MemberTraits:
    """What does not change of the members during a run: one entry a member, drawn by its row."""

    def __init__(self, config: SocialMediaConfig, cast: Mapping[int, Persona], draw: Draw) -> None:
        """`cast` has the personas of the study by row; a member that is promoted later keeps what was drawn."""
        rows = np.arange(config.members)
        self._draw, self._cast = draw, cast
        start = draw.at("stance").normal(config.stance_mean, config.stance_sd, agent=rows)
        self.delay, self.weight = np.ones(len(rows)), np.ones(len(rows))
        self.bias, self.comments = np.zeros(len(rows)), np.zeros(len(rows))
        for row, persona in cast.items():
            self.weight[row], self.bias[row] = persona.influence, read_bias(persona)
            if persona.stance is not None:
                start[row] = persona.stance
            if persona.activity is not None:
                self.delay[row] = persona.activity.response_delay_minutes / MEDIAN_DELAY
                ratio = persona.activity.comments_per_hour / config.activity.comments
                self.comments[row] = np.log(ratio) if ratio else NEVER
        self.start = quantise(np.clip(start, -1, 1))
        unit = draw.at("interest").uniform(agent=rows[:, None], item=np.arange(len(config.topics)))
        mix = -np.log(unit)
        self.interests: Floats = quantise(mix / mix.sum(axis=1, keepdims=True))
        side = self.start > np.median(self.start)
        graph = block_graph(side, draw.at("follows"), config.followees, config.homophily)
        own = np.array(sorted(cast), dtype=np.int64)
        first, second = np.meshgrid(own, own, indexing="ij")
        known = draw.at("acquainted").chance(config.acquainted, agent=first, item=second) & (first != second)
        self.graph: FollowerGraph = graph.follow(first[known], second[known], step=0)

    def expect_posts(self, config: SocialMediaConfig, start: float) -> Floats:
        """Compute the expected number of posts of each member in a round that starts at a minute of the run."""
        rule, rows = config.activity, np.arange(config.members)
        minutes = float(config.minutes)
        usual = float(average_profile(scale_profile(rule.hours), start, minutes))
        expected = draw_rates(self._draw.at("rate"), rows, rule.posts * usual, rule.sigma)
        for row, persona in self._cast.items():
            if persona.activity is not None:
                awake = np.isin(np.arange(24), persona.activity.active_hours)
                share = average_profile(scale_profile(awake), start, minutes) if awake.any() else 0.0
                expected[row] = persona.activity.posts_per_hour * float(share)
        return expected * minutes / 60

    def fit_reactions(self, config: SocialMediaConfig) -> tuple[ReactionModel, float]:
        """Calibrate reactions on posts as members write them; returns also by how much false posts move readers more."""
        pair = np.arange(_SAMPLE)
        reader, author = (
            self._draw.at(f"sample/{who}").below(config.members, item=pair) for who in ("reader", "author")
        )
        written = draw_writing(
            config, self.start[author], self.bias[author], self._draw.at("sample", item=pair)
        )
        sample = ReactionFeatures(
            self.start[reader] * written["valence"], written["novelty"], written["arousal"],
            weight=self.weight[author],
        )  # fmt: skip
        model = config.reactions.calibrate(sample, p_for_reproduction(self.graph, config.reproduction))
        return model, model.find_emotion_gap(sample, config.falsehood)


def draw_writing(config: SocialMediaConfig, stance: Floats, bias: Floats, draw: Draw) -> dict[str, Floats]:
    """Draw valence, novelty and arousal of posts from their authors' stance and sentiment bias; our design.

    Valence is the weighted stance plus bias and noise; arousal grows with its size.
    """
    noise = draw.at("valence").normal(sd=config.writing.noise)
    valence = np.clip(config.writing.stance * stance + bias + noise, -1, 1)
    arousal = (np.abs(valence) + draw.at("arousal").uniform()) / 3
    return {"valence": valence, "novelty": 0.6 * draw.at("novelty").uniform(), "arousal": arousal}


def read_bias(persona: Persona) -> float:
    """Read a persona's sentiment bias from its traits, -1 (negative) to 1; 0 where it has none."""
    bias = persona.traits.get("sentiment_bias", 0.0)
    if isinstance(bias, bool | str) or not -1 <= bias <= 1:
        raise InputError(
            f"{persona.id}: the trait sentiment_bias is {bias!r}; give a number from -1 (negative) to 1 (positive)"
        )
    return float(bias)
