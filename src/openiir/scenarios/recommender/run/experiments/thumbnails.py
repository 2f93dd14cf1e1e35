"""Experiment on thumbnails: clicks on variants of the same item's picture (SimUSER, appendix F.6)."""

from collections.abc import AsyncIterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

import numpy as np

from openiir.kit.items import Collection
from openiir.plugin import Agent, Image, InputError, Lane, Stage, Step, order_by
from openiir.scenarios.recommender.behaviour.visitor import Visitor, VisitState
from openiir.scenarios.recommender.model.pictures.image_words import appeal_in
from openiir.scenarios.recommender.model.pictures.posters import posters
from openiir.scenarios.recommender.model.pictures.variants import Variant, variants
from openiir.scenarios.recommender.questions.page import MOST
from openiir.scenarios.recommender.run.actions import ThumbnailsMade
from openiir.scenarios.recommender.run.captions import caption_pictures, load_picture
from openiir.scenarios.recommender.run.study_context import StudyContext
from openiir.scenarios.recommender.run.visit_questions import ask_verdicts

LABELS = ("pictures put into words", "looked at")
"""Labels of the experiment's steps."""


async def run_thumbnails(stage: Stage, study: StudyContext) -> AsyncIterator[Step]:
    """Run the experiment: every visitor decides on every item with each variant of its picture.

    The noise is the same for all variants.
    """
    rated = np.flatnonzero(study.split.train.counts)
    keys = stage.draw("recommender.thumbnails", step=0).bits(item=rated)
    items = np.sort(rated[order_by(keys)[: stage.config.thumbnails.items]]).tolist()
    captions = await _caption_variants(stage, study, items)
    yield Step(LABELS[0])
    await stage.lanes(
        {v.persona.id: partial(_browse_variants, study, v, items, captions) for v in study.visitors}
    )
    yield Step(LABELS[1])


async def _caption_variants(
    stage: Stage, study: StudyContext, items: Sequence[int]
) -> Mapping[Variant, tuple[str, ...]]:
    """Caption the variants of these items' pictures, or of made-up posters unless all have files."""
    of = study.data.collection
    images = [of.text("images", item) for item in items]
    if all(image and "://" not in image for image in images):
        return await thumbnail_captions(stage, of, study.folder, items)
    chosen = Collection(
        of.kind,
        tuple(of.ids[i] for i in items),
        tuple(of.titles[i] for i in items),
        {name: tuple(column[i] for i in items) for name, column in of.attributes.items()},
    )
    with TemporaryDirectory(prefix="openiir-posters-") as made:
        invented = posters(chosen, Path(made), stage.config.data_seed)
        return await thumbnail_captions(stage, invented, Path(made), range(len(items)), made_up=True)


async def _browse_variants(
    study: StudyContext,
    visitor: Visitor,
    items: Sequence[int],
    captions: Mapping[Variant, tuple[str, ...]],
    lane: Lane,
) -> None:
    agent, state = Agent.of(visitor.persona), VisitState(study.visit_context, visitor)
    for variant, texts in captions.items():
        for number, start in enumerate(range(0, len(items), MOST), 1):
            page = slice(start, start + MOST)
            taken = await ask_verdicts(lane, agent, state, items[page], f"page {number}", texts[page])
            if taken:
                shown, clicks = [item for item, _ in taken], np.array([click for _, click in taken])
                lane.columns(
                    "clicked", {"variant": variant, "visitor": agent.id, "item": shown, "click": clicks}
                )


async def thumbnail_captions(
    lane: Lane,
    collection: Collection,
    folder: Path,
    items: Sequence[int],
    made_up: bool = False,
) -> Mapping[Variant, tuple[str, ...]]:
    """Caption each picture variant of these items, in their order; empty without a usable reply.

    All come from pictures, whatever captions the data have. Raises InputError for an item without a usable
    picture. The variants are made anew in a replay, to the same bytes under the same versions of Pillow and
    NumPy. Mean appeals by variant are logged as `ThumbnailsMade`, with whether the posters are `made_up`.
    """
    arms: tuple[Variant, ...] = ("poster", "frame", "blue")
    with TemporaryDirectory(prefix="openiir-thumbnails-") as made:
        shown = [_variants_of(collection, folder, item, Path(made)) for item in items]
        every = [pictures[arm] for arm in arms for pictures in shown]
        said = await caption_pictures(lane, collection.kind, every)
    captions = {arm: tuple(said.get(pictures[arm].sha256, "") for pictures in shown) for arm in arms}
    for arm in arms if items else ():
        appeal = fmean(map(appeal_in, captions[arm]))
        lane.act(None, ThumbnailsMade(variant=arm, items=len(items), appeal=appeal, made_up=made_up))
    return captions


def _variants_of(collection: Collection, folder: Path, item: int, made: Path) -> Mapping[Variant, Image]:
    """Make the picture variants of an item's poster."""
    where = collection.text("images", item)
    try:
        if not where:
            raise InputError("it has no picture; give it one, or let `posters` make them up")
        return variants(load_picture(folder, where), made)
    except InputError as error:
        named = f"the {collection.kind} {collection.ids[item]!r} ({collection.titles[item]})"
        raise InputError(f"{named}: {error}") from None
