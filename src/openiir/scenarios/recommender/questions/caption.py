"""Question to the captioner: what does this picture show, and what impression does it make?"""

from dataclasses import dataclass
from typing import ClassVar

from pydantic import Field

from openiir.plugin import Draw, Image, Question, Record
from openiir.scenarios.recommender.model.pictures.image_features import look
from openiir.scenarios.recommender.model.pictures.image_words import describe_picture

_SHOWS = {"movie": "the poster of a film", "game": "the cover of a game", "book": "the cover of a book"}


class Caption(Record):
    """A caption of a picture."""

    caption: str = Field(min_length=1, max_length=700)


@dataclass(frozen=True)
class CaptionPicture(Question[Caption]):
    """Question to the captioner: what does this picture show, and what impression does it make?"""

    noun: str
    """Noun for an item, as `Collection.kind`."""
    image: Image
    kind: ClassVar[str] = "recommender.caption"
    example: ClassVar[Record] = Caption(
        caption="A wooden boat on a grey lake at dawn, nobody in it. Soft, pale and quiet; it invites "
        "some and leaves others cold."
    )

    def system(self) -> str:
        return "You describe pictures to people who choose by them but cannot see them."

    def prompt(self) -> str:
        return f"""The picture is {_SHOWS.get(self.noun, "what a shop shows of a product")}.

Say in two or three sentences what somebody who leafs through a catalogue would notice: who or what is on it \
and what happens, its colours and light, how crowded or plain and how sharp it is, the mood it sets, and \
what about it would draw a person in or put one off. Name only what can be seen; leave out what you may know \
of the {self.noun} from elsewhere."""

    def images(self) -> tuple[Image, ...]:
        return (self.image,)

    @property
    def subject(self) -> str:
        return self.image.sha256

    def offline(self, draw: Draw) -> Caption:
        """Describe the picture by its computed features (see `image_features` and `image_words`)."""
        return Caption(caption=describe_picture(look(self.image)))
