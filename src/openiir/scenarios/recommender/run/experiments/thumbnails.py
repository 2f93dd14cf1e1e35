"""Experiment on thumbnails: clicks on variants of the same item's picture (SimUSER, appendix F.6)."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
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
from openiir.scenarios.recommender.questions.caption import CaptionPicture
from openiir.scenarios.recommender.questions.page import MOST
from openiir.scenarios.recommender.run.actions import ThumbnailsMade
from openiir.scenarios.recommender.run.captions import CAPTIONER, load_picture, name_item
from openiir.scenarios.recommender.run.study_context import StudyContext
from openiir.scenarios.recommender.run.visit_questions import ask_verdicts

LABELS = ("pictures put into words", "looked at")
"""Labels of the experiment's steps."""


@dataclass(frozen=True)
class Pictures:
    """Captions of one picture variant of some items."""

    items: Sequence[int]
    captions: Sequence[str]


async def run_thumbnails(stage: Stage, study: StudyContext) -> AsyncIterator[Step]:
    """Run the experiment: every visitor decides on every item with each variant of its picture.

    The noise is the same for all variants.
    """
    pictures = await _pictures(stage, study)
    yield Step(LABELS[0])
    await stage.lanes(
        {v.persona.id: partial(_browse_variants, stage, study, v, pictures) for v in study.visitors}
    )
    yield Step(LABELS[1])


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
    agent, state = Agent.of(visitor.persona), VisitState(study.visit_context, visitor)
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


async def thumbnail_captions(
    lane: Lane,
    collection: Collection,
    folder: Path,
    items: Sequence[int],
    frames: Mapping[int, str] | None = None,
    made_up: bool = False,
) -> Mapping[Variant, tuple[str, ...]]:
    """Caption each picture variant of these items, in their order; empty without a usable reply.

    All come from pictures, whatever captions the data have. `frames` names trailer shots below `folder` by
    item; where there is none, a blurred crop of the poster stands in. Raises InputError for an item without a
    usable picture. The variants are made anew in a replay, to the same bytes under the same versions of
    Pillow and NumPy. Mean appeals by variant are logged as `Pictured`, with whether the posters are
    `made_up`.
    """
    arms: tuple[Variant, ...] = ("poster", "frame", "blue")
    with TemporaryDirectory(prefix="openiir-thumbnails-") as made:
        shown = [
            _variants_of(collection, folder, item, (frames or {}).get(item), Path(made)) for item in items
        ]
        asked = [CaptionPicture(collection.kind, pictures[arm]) for arm in arms for pictures in shown]
        distinct = list({question.subject: question for question in asked}.values())
        replies = await lane.ask_all([(CAPTIONER, question) for question in distinct])
    said = {q.subject: reply.caption for q, reply in zip(distinct, replies, strict=True) if reply is not None}
    captions = {arm: tuple(said.get(pictures[arm].sha256, "") for pictures in shown) for arm in arms}
    for arm in arms if items else ():
        appeals = [appeal_in(caption) for caption in captions[arm]]
        lane.act(None, ThumbnailsMade(variant=arm, items=len(items), appeal=fmean(appeals), made_up=made_up))
    return captions


def _variants_of(
    collection: Collection, folder: Path, item: int, frame: str | None, made: Path
) -> Mapping[Variant, Image]:
    """Make the picture variants of an item's poster."""
    where = collection.text("images", item)
    try:
        if not where:
            raise InputError("it has no picture; give it one, or let `posters` make them up")
        shot = Path(load_picture(folder, frame).path) if frame is not None else None
        return variants(load_picture(folder, where), made, shot)
    except InputError as error:
        raise name_item(error, collection, item) from None
