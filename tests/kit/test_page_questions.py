"""Questions in front of a page: numbers of what somebody opens, as a mask and back."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from openiir.kit.page_questions import OpenedItems, PageQuestion
from openiir.plugin import Columns, Draw, UnusableAnswer


@dataclass(frozen=True)
class Shelf(PageQuestion[OpenedItems]):
    page: tuple[str, ...]
    kind: ClassVar[str] = "test.shelf"

    def prompt(self) -> str:
        return " ".join(self.page)

    @classmethod
    def answer_columns(cls, columns: Columns, draw: Draw, behaviour: object) -> Columns:
        return {"open": np.ones((1, 4), dtype=np.bool_)}


def test_numbers_from_1_are_a_mask_of_places_and_back() -> None:
    mask = np.array([True, False, False, True])
    reply = Shelf.reply_of({"open": mask})
    assert reply == OpenedItems(open=(1, 4))
    assert (Shelf.row_of(reply, {"open": ~mask})["open"] == mask).all()
    assert Shelf.reply_of({"open": mask & False}).open == ()
    assert not Shelf.row_of(OpenedItems(open=()), {"open": mask})["open"].any()


def test_what_is_on_the_page_may_be_opened_once() -> None:
    asked = Shelf(("a", "b", "c", "d"))
    assert list(asked.facts_only.allowed()["open"]) == [1, 2, 3, 4]
    asked.check(OpenedItems(open=(4, 1)))
    with pytest.raises(UnusableAnswer, match="number 3 twice"):
        asked.check(OpenedItems(open=(3, 1, 3)))
