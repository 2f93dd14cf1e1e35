"""What a reader decides in front of the page of a space, and how readers decide offline."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from openiir.kit.prompting import ThoughtfulReply, bullet_lines, count_noun, number_lines
from openiir.plugin import Columns, CrowdQuestion, Draw, Record, Source
from openiir.scenarios.open_web.config import OpenWebConfig
from openiir.scenarios.open_web.model.articles import Article, word_standing
from openiir.scenarios.open_web.model.readership import decide

Numbers = tuple[float, ...]


class SpaceReply(ThoughtfulReply):
    """What a reader does with the page of a space."""

    piece: int = Field(ge=1, le=20, description="number of the piece that you look into")
    opens: bool = Field(description="true: you open it on its page; false: what you see here is enough")
    worth: bool = Field(description="whether it was worth your time")
    follows: int = Field(ge=0, le=20, description="number of a piece whose writer you begin to follow, or 0")
    leaves: bool = Field(description="true: you leave this space for good; false: you stay")


@dataclass(frozen=True)
class ReadSpace(CrowdQuestion[SpaceReply]):
    """What do you look into, do you open it or is the summary enough, and do you stay in this space?

    Its dispositions are the columns of `model.readership.decide`.
    """

    topic: str
    page: tuple[str, ...]
    """Each piece as the page shows it."""
    remembered: tuple[str, ...]
    reputation: Annotated[Numbers, Source("study")]
    followers: Annotated[Numbers, Source("study")]
    good: Annotated[Numbers, Source("drawn")]
    streak: Annotated[int, Source("study")]
    chance: Annotated[float, Source("study")]
    behaviour: OpenWebConfig
    kind: ClassVar[str] = "open_web.read"
    example: ClassVar[Record | None] = SpaceReply(
        thoughts="The ferry times are what I need.", piece=2, opens=False, worth=True, follows=0, leaves=False
    )

    def prompt(self) -> str:
        before = f"What you remember of it:\n{bullet_lines(self.remembered)}\n\n" if self.remembered else ""
        return f"""You belong to a space on the web where people write about {self.topic}. Programs may \
write there as well, and need not say so.

{before}It is a new week, and you look in. You are shown these pieces:

{number_lines(self.page)}

Which one do you look into? Do you open it on its own page, or is what you see here enough for you? Was it \
worth your time? Do you begin to follow a writer? And do you stay in this space, or leave it for good?"""

    def allowed(self) -> Mapping[str, Sequence[int]]:
        numbers = range(1, len(self.page) + 1)
        return {"piece": numbers, "follows": (0, *numbers)}

    @classmethod
    def answer_columns(cls, columns: Columns, draw: Draw, behaviour: OpenWebConfig) -> Columns:
        """Open pages at measured rates, leave where too many agents write: `model.readership.decide`."""
        return decide(columns, behaviour.trust, behaviour.retreat, draw)


def describe_piece(
    article: Article, handle: int, reputation: float, followers: float, program: bool, summarised: bool
) -> str:
    """Describe a piece as a page shows it: title, writer and what it looks like, and perhaps a summary."""
    known = f"{word_standing(reputation)}, {count_noun(int(followers), 'follower')}"
    looks = f"by writer {handle} ({known}); reads as if a {'program' if program else 'person'} wrote it"
    short = f"\n   Your assistant says: {article.opening}" if summarised else ""
    return f"{article.title}\n   {looks}{short}"
