"""Captions of the items' pictures, made once before the visits and shared by all visitors (B6)."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from openiir.kit.items import Collection
from openiir.plugin import (
    Action,
    Draw,
    Facts,
    Image,
    InputError,
    Lane,
    Question,
    Record,
    int_sum,
    picture,
    study_path,
)
from openiir.scenarios.recommender.perception.image_features import look
from openiir.scenarios.recommender.perception.image_words import describe_picture

CAPTIONER = "captioner"
"""Role that writes captions; `[answers.kind]` sets its answerer by the kind `recommender.caption`."""
_SHOWS = {"movie": "the poster of a film", "game": "the cover of a game", "book": "the cover of a book"}


class Caption(Record):
    """A picture in words."""

    caption: str = Field(min_length=1, max_length=700)


class CaptionsMade(Action):
    """Log entry: sources of the captions, and pictures that could not be used."""

    kind: ClassVar[str] = "recommender.captions"
    given: int
    """Number of captions in the data."""
    made: int
    pictures: int
    """Number of distinct pictures that were captioned."""
    failed: int
    skipped: tuple[Mapping[str, str], ...]
    """Skipped items with the reason."""


@dataclass(frozen=True)
class CaptionFacts(Facts):
    """Facts of the caption question: a picture and the kind of item it shows."""

    noun: str
    """Noun for an item, as `Collection.kind`."""
    image: Image

    def system(self) -> str:
        return "You describe pictures to people who choose by them but cannot see them."

    def prompt(self) -> str:
        return f"""The picture is {_SHOWS.get(self.noun, "what a shop shows of a product")}.

Say in two or three sentences what somebody who leafs through a catalogue would notice: who or what is on it and what \
happens, its colours and light, how crowded or plain and how sharp it is, the mood it sets, and what about it would draw \
a person in or put one off. Name only what can be seen; leave out what you may know of the {self.noun} from elsewhere."""

    def images(self) -> tuple[Image, ...]:
        return (self.image,)


@dataclass(frozen=True)
class CaptionPicture(Question[Caption]):
    """Question to the captioner: what does this picture show, and what impression does it make?"""

    facts: CaptionFacts
    kind: ClassVar[str] = "recommender.caption"
    example: ClassVar[Record] = Caption(
        caption="A wooden boat on a grey lake at dawn, nobody in it. Soft, pale and quiet; it invites some and leaves others cold."
    )

    @property
    def subject(self) -> str:
        return self.facts.image.sha256

    def offline(self, draw: Draw) -> Caption:
        """Describe the picture by its computed features (see `image_features` and `image_words`)."""
        return Caption(caption=describe_picture(look(self.facts.image)))


async def captions(
    lane: Lane, collection: Collection, folder: Path, *, skip_bad: bool = False
) -> tuple[str, ...]:
    """Caption every item, in the collection's order; empty for an item without a picture.

    A caption in the data stands. Else the item's picture, a file below `folder`, is looked at by the captioner, once
    for all items with the same picture. Raises InputError naming item and file where a picture is missing, no picture
    or damaged; with `skip_bad` such items go without. How many came from where, and what was skipped, is logged as
    `Captioned`.
    """
    given = [collection.text("captions", item) for item in range(len(collection))]
    seen, skipped = _pictures(collection, folder, [n for n, text in enumerate(given) if not text], skip_bad)
    distinct = list({image.sha256: image for image in seen.values()}.values())
    replies = await lane.ask_all(
        [(CAPTIONER, CaptionPicture(CaptionFacts(collection.kind, image))) for image in distinct]
    )
    made = {
        image.sha256: reply.caption
        for image, reply in zip(distinct, replies, strict=True)
        if reply is not None
    }
    noted = CaptionsMade(
        given=int_sum(map(bool, given)),
        made=int_sum(image.sha256 in made for image in seen.values()),
        pictures=len(distinct),
        failed=len(distinct) - len(made),
        skipped=tuple(skipped),
    )
    lane.act(None, noted)
    return tuple(
        text or (made.get(seen[item].sha256, "") if item in seen else "") for item, text in enumerate(given)
    )


def _pictures(
    collection: Collection, folder: Path, items: list[int], skip_bad: bool
) -> tuple[dict[int, Image], list[dict[str, str]]]:
    """Load the pictures of these items, by item, and list the unusable ones with reasons."""
    seen: dict[int, Image] = {}
    skipped: list[dict[str, str]] = []
    for item in items:
        where = collection.text("images", item)
        if not where:
            continue
        try:
            seen[item] = load_picture(folder, where)
        except InputError as error:
            if not skip_bad:
                raise name_item(error, collection, item) from None
            # Where the data lies is no part of a run.
            reason = str(error).replace(str(folder / where), where)
            skipped.append({"item": collection.ids[item], "reason": reason})
    return seen, skipped


def name_item(error: InputError, collection: Collection, item: int) -> InputError:
    """Prefix an error message with the item whose picture caused it."""
    return InputError(f"the {collection.kind} {collection.ids[item]!r} ({collection.titles[item]}): {error}")


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
