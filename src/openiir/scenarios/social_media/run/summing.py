"""Rows of a run that sum up: the members at its start, and each round."""

from collections.abc import Mapping, Sequence

import numpy as np

from openiir.kit.arrays import Floats, Ints
from openiir.plugin import Persona, Stage, order_by, quantise
from openiir.scenarios.social_media.behaviour.members import MemberTraits
from openiir.scenarios.social_media.config import ProfileStyle
from openiir.scenarios.social_media.model.posts.post_store import PostKind
from openiir.scenarios.social_media.model.posts.reactions import ACTIONS


def log_cast(stage: Stage, traits: MemberTraits, cast: Mapping[int, Persona]) -> None:
    """Log the members' stances, the profiles of the cast, and who follows whom."""
    graph, config = traits.graph, stage.config
    stage.columns("members", {"member": np.arange(len(traits.start)), "stance": traits.start})
    for row, persona in cast.items():
        counts = int(graph.followers.degrees[row]), int(graph.following.degrees[row])
        topics = [config.topics[n] for n in order_by(-traits.interests[row])[:2]]
        for name, value in emit_profile(config.profiles, persona, *counts, topics).items():
            stage.row("profiles", member=row, attribute=name, value=value)
    if graph.links:
        stage.columns("follows", {"member": graph.following.owners(), "follows": graph.following.member})


def log_round(stage: Stage, kinds: Ints, did: Sequence[Ints], stance: Floats, start: Floats) -> None:
    """Log a round in aggregate: posts by kind, reactions, stances now and at the start."""
    written = np.bincount(kinds, minlength=len(PostKind)).tolist()
    looks = np.concatenate([np.zeros(0, dtype=np.int64), *did])
    _, likes, dislikes, *_ = np.bincount(looks, minlength=len(ACTIONS)).tolist()
    stage.row(
        "rounds",
        step=stage.step,
        **dict(zip(("posts", "comments", "reposts"), written, strict=True)),
        looks=len(looks),
        likes=likes,
        dislikes=dislikes,
        members=len(stance),
        stance_mean=float(np.mean(quantise(stance))),
        stance_variance=float(np.var(stance)),
        start_variance=float(np.var(start)),
        moved=float(np.mean(np.abs(stance - start))),
    )


_DESCRIPTION = 160
"""Characters of a description on Twitter."""


def emit_profile(
    style: ProfileStyle, persona: Persona, followers: int, following: int, topics: Sequence[str]
) -> dict[str, str]:
    """Return the attributes that a profile generator of this style emits for a persona, by name.

    Twitter: `handle`, `name`, `description`, `followers`, `following`. Reddit: `username`, `about`,
    `communities`, and each trait of the persona under its own name. Neither bears on what anybody does.
    """
    handle = persona.id.replace("-", "_")
    if style == "twitter":
        own = {"handle": f"@{handle}", "name": persona.name, "description": persona.bio[:_DESCRIPTION]}
        return {**own, "followers": str(followers), "following": str(following)}
    traits = {name: str(value) for name, value in sorted(persona.traits.items())}
    return {**traits, "username": f"u/{handle}", "about": persona.bio, "communities": ", ".join(topics)}
