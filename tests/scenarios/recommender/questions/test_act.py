"""What a visitor does next: which title it opens."""

import pytest

from openiir.plugin import Draw
from openiir.scenarios.recommender.model.choice_model import Temper
from openiir.scenarios.recommender.questions.act import Opinion, VisitAct


@pytest.mark.parametrize(
    ("chances", "move", "number"),
    [((0.9, 0.41), "open", 2), ((0.59, 0.5), "open", 1), ((0.39, 0.61), "next", None)],
)
def test_the_first_title_that_one_is_unsure_of_is_opened(
    chances: tuple[float, ...], move: str, number: int | None
) -> None:
    asked = VisitAct(
        noun="movie",
        page=1,
        taken=(),
        passed=(Opinion("Heat", ""), Opinion("Up", "")),
        moves=("next", "open"),
        chances=chances,
        gains=(0.5,),
        satisfied=0.5,
        before=0.5,
        tired=0.0,
        novelty=0.0,
        temper=Temper(picky=1, engaged=1),
        place="1",
    )
    found = asked.offline(Draw(1, "act"))
    assert (found.do, found.open) == (move, number)
