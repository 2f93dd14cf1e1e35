from openiir.kit.items.ratings import Scale
from openiir.scenarios.recommender.persona import taste_in_words
from openiir.scenarios.recommender.persona.shown import Seen, Shown
from openiir.scenarios.recommender.persona.tasting import leanings


def shown(*items):
    return Shown("movie", tuple(Seen(t, g, None, d, r) for t, g, d, r in items), Scale())


TASTE = shown(
    ("Good War", ("War",), ("Ann Lee",), 5.0),
    ("Better War", ("War", "Drama"), ("Ann Lee",), 5.0),
    ("Plain Play", ("Drama",), ("Bo",), 3.0),
    ("Sad Clown", ("Comedy",), ("Bo",), 1.0),
    ("Mad Clown", ("Comedy",), (), 2.0),
)


def test_words_say_what_the_ratings_show():
    words = taste_in_words(TASTE)
    assert "You think best of War." in words or "You think best of War and Drama." in words
    assert "You think least of Comedy." in words
    assert "You come back to Ann Lee." in words
    assert "You liked Better War and Good War." in words
    assert "You disliked Sad Clown and Mad Clown." in words
    assert "hard to please" in words


def test_leanings_are_shrunken_means():
    mean = (1 + 1 + 0.5 + 0 + 0.25) / 5
    by = {one.name: one for one in leanings(TASTE, "genres")}
    assert by["War"].share == 2 / 5
    assert by["War"].lean == round((2 - 2 * mean) / (2 + 3), 6)
    assert [one.name for one in leanings(TASTE, "genres")] == ["Comedy", "Drama", "War"]


def test_order_and_absence():
    assert taste_in_words(shown()) == "Nothing is known of your taste yet."
    turned = shown(*[(i.title, i.genres, i.directors, i.rating) for i in reversed(TASTE.items)])
    assert taste_in_words(turned) == taste_in_words(TASTE)
    assert "none of what is on record" in taste_in_words(shown(("X", (), (), 3.0)))
    assert (
        len(taste_in_words(shown(*[("T" * 900 + str(n), ("G" * 600,), (), 5.0) for n in range(5)]))) <= 1_500
    )
