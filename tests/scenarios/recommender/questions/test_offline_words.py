import pytest

from openiir.core.seeds import Draw
from openiir.scenarios.recommender.questions.judge import JudgedPage, JudgedTitle, VisitJudge
from openiir.scenarios.recommender.questions.wording import reaction_to


@pytest.mark.parametrize(("pages", "grade"), [(14, 5), (15, 4)])
def test_who_goes_through_fifteen_pages_never_tires(pages: int, grade: int) -> None:
    visit = [
        JudgedPage((JudgedTitle("Heat", 2 + n % 2, f"word {n}"),), ("Up",), "next page") for n in range(pages)
    ]
    found = VisitJudge("movie", tuple(visit), "visit 1").offline(Draw(1, "judge"))
    assert found.grade == grade and ("never tires" in found.what_you_see) == (pages == 15)


@pytest.mark.parametrize(
    ("stars", "usual", "words"),
    [
        (4, 2.49, "I enjoyed it a lot, a very good drama movie."),
        (4, 2.5, "I enjoyed it, a good drama movie."),
        (3, 3.49, "It was all right, much like other drama movies I know."),
        (3, 3.5, "It let me down; I know better drama movies."),
        (2, 5.0, "It bored me, a weak drama movie."),
    ],
)
def test_a_reaction_is_by_the_distance_from_the_usual_rating(stars: int, usual: float, words: str) -> None:
    assert reaction_to(("Drama", "War"), stars, usual, "movie") == words
