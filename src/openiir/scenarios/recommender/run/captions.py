"""Captions of the items' pictures, made once before the visits and shared by all visitors (B6)."""

from collections.abc import Iterable
from pathlib import Path

from openiir.kit.items import Collection
from openiir.plugin import Image, InputError, Lane, int_sum, picture, study_path
from openiir.scenarios.recommender.model.pictures.image_features import look
from openiir.scenarios.recommender.questions.caption import CaptionPicture
from openiir.scenarios.recommender.run.actions import CaptionsMade

CAPTIONER = "captioner"
"""Role that writes captions; `[answers.kind]` sets its answerer by the kind `recommender.caption`."""


async def captions(lane: Lane, collection: Collection, folder: Path) -> tuple[str, ...]:
    """Caption every item, in the collection's order; empty for an item without a picture.

    A caption in the data stands. Else the item's picture, a file below `folder`, is looked at by the
    captioner, once for all items with the same picture. An item whose picture is missing, no picture or
    damaged goes without. How many came from where, and what was skipped, is logged as `CaptionsMade`.
    """
    given = [collection.text("captions", item) for item in range(len(collection))]
    seen: dict[int, Image] = {}
    skipped: list[dict[str, str]] = []
    for item, text in enumerate(given):
        where = collection.text("images", item)
        if text or not where:
            continue
        try:
            seen[item] = load_picture(folder, where)
        except InputError as error:
            # Where the data lies is no part of a run.
            reason = str(error).replace(str(folder / where), where)
            skipped.append({"item": collection.ids[item], "reason": reason})
    made = await caption_pictures(lane, collection.kind, seen.values())
    pictures = len({image.sha256 for image in seen.values()})
    noted = CaptionsMade(
        given=int_sum(map(bool, given)),
        made=int_sum(image.sha256 in made for image in seen.values()),
        pictures=pictures,
        failed=pictures - len(made),
        skipped=tuple(skipped),
    )
    lane.act(None, noted)
    return tuple(
        text or (made.get(seen[item].sha256, "") if item in seen else "") for item, text in enumerate(given)
    )


async def caption_pictures(lane: Lane, noun: str, images: Iterable[Image]) -> dict[str, str]:
    """Ask for the captions of pictures, once for each distinct one; returns them by the picture's SHA-256."""
    distinct = {image.sha256: image for image in images}
    replies = await lane.ask_all([(CAPTIONER, CaptionPicture(noun, image)) for image in distinct.values()])
    return {key: reply.caption for key, reply in zip(distinct, replies, strict=True) if reply is not None}


def load_picture(folder: Path, where: str) -> Image:
    """Load a picture of the data set. Raises InputError unless the file is a complete picture."""
    if "://" in where:
        raise InputError(
            f"its picture is at {where}, and runs fetch nothing from the web; "
            "fetch it to a file first and name that, or give a caption in the data"
        )
    image = picture(study_path(where, folder, "the picture"))
    look(image)
    return image
