"""Thumbnails: which picture of the same item makes more people click (SimUSER, appendix F.6)."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from openiir.kit.items import Collection
from openiir.plugin import Agent, Lane, Stage, Step
from openiir.scenarios.recommender.founding import Ground
from openiir.scenarios.recommender.perception import posters, thumbnail_captions
from openiir.scenarios.recommender.questions.browse import Browse, BrowseDispositions, BrowseFacts
from openiir.scenarios.recommender.questions.page import MOST
from openiir.scenarios.recommender.visitor import Mind, Visitor


@dataclass(frozen=True)
class Pictures:
    """One variant of the pictures of some items, in words."""

    items: Sequence[int]
    captions: Sequence[str]


async def thumbnails(stage: Stage, ground: Ground) -> AsyncIterator[Step]:
    """Every visitor decides on every item once a variant of its picture, under the same noise."""
    pictures = await _pictures(stage, ground)
    yield Step("pictures put into words")
    await stage.lanes({v.persona.id: partial(_look, stage, ground, v, pictures) for v in ground.visitors})
    yield Step("looked at")


async def _pictures(stage: Stage, ground: Ground) -> Mapping[str, Pictures]:
    """The variants of some items' pictures: of posters made up from title and genres, where not all have files."""
    of = ground.data.collection
    counts = ground.split.train.counts
    draw = stage.draw("recommender.thumbnails", step=0)
    rated = np.flatnonzero(counts)
    keys = draw.bits(item=rated)
    items = np.sort(rated[np.argsort(keys, kind="stable")[: stage.config.thumbnails.items]]).tolist()
    chosen = Collection(
        of.kind,
        tuple(of.ids[i] for i in items),
        tuple(of.titles[i] for i in items),
        {name: tuple(column[i] for i in items) for name, column in of.attributes.items()},
        images=tuple(of.text("images", i) for i in items),
    )
    every = range(len(items))
    if all(image and "://" not in image for image in chosen.images):
        said = await thumbnail_captions(stage, chosen, ground.folder, every)
    else:
        with TemporaryDirectory(prefix="openiir-posters-") as made:
            invented = posters(chosen, Path(made), stage.config.data_seed)
            said = await thumbnail_captions(stage, invented, Path(made), every, made_up=True)
    return {variant: Pictures(items, captions) for variant, captions in said.items()}


async def _look(
    stage: Stage, ground: Ground, visitor: Visitor, pictures: Mapping[str, Pictures], lane: Lane
) -> None:
    agent, mind = (
        Agent.of(visitor.persona),
        Mind(ground.common, visitor, stage.draw("recommender.page", step=0)),
    )
    for variant, made in pictures.items():
        for start in range(0, len(made.items), MOST):
            batch = made.items[start : start + MOST]
            shown = mind.shown(batch)
            captions = made.captions[start : start + len(batch)]
            titles = tuple(
                replace(look.facts, entry=replace(look.facts.entry, picture=caption))
                for look, caption in zip(shown, captions, strict=True)
            )
            by = tuple(look.by for look in shown)
            dispositions = BrowseDispositions(
                by, visitor.temper, ground.common.scales, f"page {start // MOST + 1}"
            )
            reply = await lane.ask(agent, Browse(BrowseFacts(ground.common.noun, titles), dispositions))
            if reply is not None:
                verdicts = sorted(reply.verdicts, key=lambda v: v.number)
                lane.columns(
                    "clicked",
                    {
                        "variant": variant,
                        "visitor": agent.id,
                        "item": [one.item for one in by],
                        "click": np.array([v.take for v in verdicts]),
                    },
                )
