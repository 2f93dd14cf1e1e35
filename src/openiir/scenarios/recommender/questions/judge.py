"""How human does this visit look, from 1 (a machine's) to 5 (a person's)? (human-likeness)"""

from dataclasses import dataclass
from typing import ClassVar

from pydantic import Field

from openiir.plugin import Draw, Record, Unsplit, int_sum

LEAST = 4
"""Ratings from which on their being all alike says something."""


class Likeness(Record):
    """The judge's grade."""

    grade: int = Field(ge=1, le=5)
    reason: str = Field("", max_length=400)


@dataclass(frozen=True)
class JudgedPage:
    """A page of the visit, without a word on where it comes from."""

    taken: tuple[tuple[str, int, str], ...]
    """Titles with rating and feeling."""
    passed: tuple[str, ...]
    action: str


@dataclass(frozen=True)
class Judge(Unsplit[Likeness]):
    """Was this a person or a machine?"""

    noun: str
    visit: str
    """A number that tells visits apart, and nothing of who paid them."""
    pages: tuple[JudgedPage, ...]
    kind: ClassVar[str] = "recommender.judge"
    Reply: ClassVar[type[Record]] = Likeness

    @property
    def subject(self) -> str:
        return self.visit

    def system(self) -> str:
        return "You tell people from programs by what they do on a website."

    def prompt(self) -> str:
        pages = "\n".join(_page_words(n, page) for n, page in enumerate(self.pages, 1))
        return f"""Below is the record of one visit to a {self.noun} recommender. It was paid by a person, or by a language model that \
played one.

{pages}

Grade it from 1 (surely a program) to 5 (surely a person), with your reason. Signs of a program are ratings that are never \
low, everything or nothing taken, the same words again and again, and never getting tired."""

    def offline(self, draw: Draw) -> Likeness:
        """5 less one for each sign that the question names [design]."""
        ratings = [rating for page in self.pages for _, rating, _ in page.taken]
        words = [feeling for page in self.pages for _, _, feeling in page.taken if feeling]
        passed = int_sum(len(page.passed) for page in self.pages)
        signs = {
            "no rating is low": len(ratings) >= LEAST and min(ratings) >= 4,
            "everything or nothing was taken": not ratings or not passed,
            "the same words come again and again": len(words) >= LEAST and len(set(words)) <= len(words) / 2,
            "it never tires": len(self.pages) >= 15,
        }
        found = [sign for sign, there in signs.items() if there]
        return Likeness(grade=5 - len(found), reason="; ".join(found).capitalize() or "Nothing speaks against a person.")


def _page_words(n: int, page: JudgedPage) -> str:
    taken = "; ".join(f"took {title}, rated it {rating}/5 ({feeling})" for title, rating, feeling in page.taken)
    passed = f"passed over {', '.join(page.passed)}" if page.passed else ""
    return f"Page {n}: {'; '.join(filter(None, (taken, passed)))}. Then: {page.action}."
