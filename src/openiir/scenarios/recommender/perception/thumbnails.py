"""The thumbnail study: captions of three variants of each poster, for visits that differ in nothing else (F9)."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import ClassVar

from openiir.kit.items import Collection
from openiir.plugin import Action, Image, InputError, Lane
from openiir.scenarios.recommender.perception.captions import (
    CAPTIONER,
    CaptionFacts,
    CaptionPicture,
    load_picture,
)
from openiir.scenarios.recommender.perception.image_words import appeal_in
from openiir.scenarios.recommender.perception.variants import Variant, variants


class ThumbnailsMade(Action):
    """A variant of the pictures, with the mean appeal of their captions."""

    kind: ClassVar[str] = "recommender.thumbnails"
    variant: Variant
    items: int
    appeal: float
    made_up: bool
    """Whether the posters are no files of the data, but made from title and genres."""


async def thumbnail_captions(
    lane: Lane,
    collection: Collection,
    folder: Path,
    items: Sequence[int],
    frames: Mapping[int, str] | None = None,
    made_up: bool = False,
) -> Mapping[Variant, tuple[str, ...]]:
    """By variant, a caption of each of these items in the order given; empty where the captioner gave none.

    All come from pictures, whatever captions the data have. `frames` names trailer shots below `folder` by item; where
    there is none, a blurred crop of the poster stands in. Raises InputError for an item without a usable picture. The
    variants are made anew in a replay, to the same bytes under the same versions of Pillow and NumPy. Mean appeals
    by variant are logged as `Pictured`, with whether the posters are `made_up`.
    """
    arms: tuple[Variant, ...] = ("poster", "frame", "blue")
    with TemporaryDirectory(prefix="openiir-thumbnails-") as made:
        shown = [
            _variants_of(collection, folder, item, (frames or {}).get(item), Path(made)) for item in items
        ]
        asked = [
            CaptionPicture(CaptionFacts(collection.kind, pictures[arm])) for arm in arms for pictures in shown
        ]
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
    """The variants of an item's poster."""
    where = collection.text("images", item)
    try:
        if not where:
            raise InputError("it has no picture; give it one, or let `posters` make them up")
        shot = Path(load_picture(folder, frame).path) if frame is not None else None
        return variants(load_picture(folder, where), made, shot)
    except InputError as error:
        told = f"the {collection.kind} {collection.ids[item]!r} ({collection.titles[item]}): {error}"
        raise InputError(told) from None
