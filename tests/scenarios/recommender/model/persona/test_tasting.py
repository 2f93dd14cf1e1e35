from openiir.kit.items.ratings import Scale
from openiir.scenarios.recommender.model.persona.samples import RatedItem, RatingSample
from openiir.scenarios.recommender.model.persona.taste_words import measure_leanings, taste_in_words


def shown(*items):
    return RatingSample("movie", tuple(RatedItem(t, g, None, d, r) for t, g, d, r in items), Scale())


TASTE = shown(
    ("Good War", ("War",), ("Ann Lee",), 5.0),
    ("Better War", ("War", "Drama"), ("Ann Lee",), 5.0),
    ("Last War", ("War",), (), 5.0),
    ("Plain Play", ("Drama",), ("Bo",), 3.0),
    ("Sad Clown", ("Comedy",), ("Bo",), 1.0),
    ("Mad Clown", ("Comedy",), (), 2.0),
    ("Old Clown", ("Comedy", "Crime"), (), 1.0),
)


def test_words_say_what_the_ratings_show():
    words = taste_in_words(TASTE)
    assert "You rate war highest and comedy lowest, though you often choose comedy." in words, (
        "one title (crime) is no taste"
    )
    assert "Directors you come back to: Ann Lee." in words
    assert "You liked Better War, Good War and Last War." in words
    assert "You disliked Old Clown, Sad Clown and Mad Clown." in words


def test_leanings_are_shrunken_means():
    mean = (1 + 1 + 1 + 0.5 + 0 + 0.25 + 0) / 7
    by = {one.name: one for one in measure_leanings(TASTE, "genres")}
    assert by["War"].share == 3 / 7
    assert by["War"].lean == round((3 - 3 * mean) / (3 + 3), 6)
    assert [one.name for one in measure_leanings(TASTE, "genres")] == ["Comedy", "War", "Drama", "Crime"]


def test_order_and_absence():
    assert taste_in_words(shown()) == "Nothing is known of your taste yet."
    turned = shown(*[(i.title, i.genres, i.directors, i.rating) for i in reversed(TASTE.items)])
    assert taste_in_words(turned) == taste_in_words(TASTE)
    good = shown(
        *[(f"War {n}", ("War",), (), 5.0) for n in range(3)],
        *[(f"Play {n}", (f"G{n}",), (), 1.0) for n in range(3)],
    )
    assert "You rate war highest." in taste_in_words(good)
    assert "none of what is on record" in taste_in_words(shown(("X", (), (), 3.0)))
    assert (
        len(taste_in_words(shown(*[("T" * 900 + str(n), ("G" * 600,), (), 5.0) for n in range(5)]))) <= 1_500
    )
