"""Experiment on thumbnails: clicks on variants of the same item's picture (SimUSER, appendix F.6)."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from openiir.kit.items import Collection
from openiir.plugin import Agent, Lane, Stage, Step, order_by
from openiir.scenarios.recommender.perception import posters, thumbnail_captions
from openiir.scenarios.recommender.questions.page import MOST
from openiir.scenarios.recommender.setup import StudyContext
from openiir.scenarios.recommender.visit_questions import ask_verdicts
from openiir.scenarios.recommender.visitor import Visitor, VisitState


@dataclass(frozen=True)
class Pictures:
    """Captions of one picture variant of some items."""

    items: Sequence[int]
    captions: Sequence[str]


async def thumbnails(stage: Stage, study: StudyContext) -> AsyncIterator[Step]:
    """Run the experiment: every visitor decides on every item with each variant of its picture.

    The noise is the same for all variants.
    """
    pictures = await _pictures(stage, study)
    yield Step("pictures put into words")
    await stage.lanes(
        {v.persona.id: partial(_browse_variants, stage, study, v, pictures) for v in study.visitors}
    )
    yield Step("looked at")


async def _pictures(stage: Stage, study: StudyContext) -> Mapping[str, Pictures]:
    """Caption the variants of some items' pictures.

    Synthetic posters are used unless all of them have files.
    """
    of = study.data.collection
    counts = study.split.train.counts
    draw = stage.draw("recommender.thumbnails", step=0)
    rated = np.flatnonzero(counts)
    keys = draw.bits(item=rated)
    items = np.sort(rated[order_by(keys)[: stage.config.thumbnails.items]]).tolist()
    chosen = Collection(
        of.kind,
        tuple(of.ids[i] for i in items),
        tuple(of.titles[i] for i in items),
        {name: tuple(column[i] for i in items) for name, column in of.attributes.items()},
        images=tuple(of.text("images", i) for i in items),
    )
    every = range(len(items))
    if all(image and "://" not in image for image in chosen.images):
        said = await thumbnail_captions(stage, chosen, study.folder, every)
    else:
        with TemporaryDirectory(prefix="openiir-posters-") as made:
            invented = posters(chosen, Path(made), stage.config.data_seed)
            said = await thumbnail_captions(stage, invented, Path(made), every, made_up=True)
    return {variant: Pictures(items, captions) for variant, captions in said.items()}


async def _browse_variants(
    stage: Stage, study: StudyContext, visitor: Visitor, pictures: Mapping[str, Pictures], lane: Lane
) -> None:
    agent, state = (
        Agent.of(visitor.persona),
        VisitState(study.visit_context, visitor, stage.draw("recommender.page", step=0)),
    )
    for variant, made in pictures.items():
        for start in range(0, len(made.items), MOST):
            page = slice(start, start + MOST)
            taken = await ask_verdicts(
                lane, agent, state, made.items[page], f"page {start // MOST + 1}", made.captions[page]
            )
            if taken:
                lane.columns(
                    "clicked",
                    {
                        "variant": variant,
                        "visitor": agent.id,
                        "item": [item for item, _ in taken],
                        "click": np.array([click for _, click in taken]),
                    },
                )
