import itertools
from dataclasses import replace

import pytest

from openiir.scenarios.recommender.model.pictures.image_features import ImageFeatures
from openiir.scenarios.recommender.model.pictures.image_words import (
    LEVELS,
    WEIGHTS,
    appeal,
    appeal_in,
    describe_picture,
    mood,
)

MIDDLE = ImageFeatures(
    brightness=0.4,
    contrast=0.18,
    colourfulness=45.0,
    saturation=0.45,
    hue="red",
    warmth=0.5,
    edges=0.3,
    sharpness=0.15,
    blue_cast=0.1,
)


def seen(**more):
    return replace(MIDDLE, **more)


def test_a_caption_says_what_was_measured():
    dark = seen(
        brightness=0.1,
        contrast=0.3,
        colourfulness=80.0,
        hue="blue",
        warmth=0.1,
        edges=0.4,
        sharpness=0.2,
        blue_cast=0.3,
    )
    assert describe_picture(dark) == (
        "A very dark picture with strong contrast and vivid colours, mostly blue, cold in tone; "
        "a crowded composition with sharp details and a blue cast. Its mood is tense."
    )
    assert "of no leading hue, neither warm nor cold" in describe_picture(seen(hue="grey"))


def test_moods_are_the_quadrants_of_pleasure_and_arousal():
    moods = {
        mood(seen(brightness=b, saturation=s))
        for b, s in itertools.product((0.1, 0.4, 0.8), (0.0, 0.45, 1.0))
    }
    assert moods == {"lively", "calm", "tense", "sombre"}
    assert (
        mood(seen(brightness=0.9, saturation=0.1)) == "calm"
        and mood(seen(brightness=0.1, saturation=0.9)) == "tense"
    )


def test_the_neutral_picture_neither_attracts_nor_repels_and_the_weights_bound_it():
    assert appeal(MIDDLE) == 0
    assert sum(abs(weight) for weight, _, _ in WEIGHTS.values()) == pytest.approx(1)
    best = seen(brightness=1.0, contrast=0.5, colourfulness=150.0, edges=0.2, sharpness=1.0, blue_cast=-1.0)
    worst = seen(brightness=0.0, contrast=0.0, colourfulness=0.0, edges=1.0, sharpness=0.0, blue_cast=1.0)
    assert appeal(best) == pytest.approx(1, abs=1e-5) and appeal(worst) == pytest.approx(-1, abs=1e-5)


@pytest.mark.parametrize("name", sorted(set(WEIGHTS) - {"edges"}))
def test_each_descriptor_pulls_the_way_its_weight_says(name):
    sign = 1 if WEIGHTS[name][0] > 0 else -1
    values = [
        appeal(seen(**{name: WEIGHTS[name][1] + step * WEIGHTS[name][2]}))
        for step in (-2, -1, -0.5, 0, 0.5, 1, 2)
    ]
    assert (
        values == sorted(values, reverse=sign < 0)
        and values[0] == values[1] != values[3] != values[5] == values[6]
    )


def test_medium_complexity_appeals_most():
    assert (
        appeal(seen(edges=0.2)) > appeal(seen(edges=0.1)) == appeal(seen(edges=0.3)) > appeal(seen(edges=0.5))
    )


def test_a_caption_made_offline_is_read_back_to_the_level():
    for name, levels in LEVELS.items():
        for level in levels:
            text = describe_picture(seen(**{name: level.stands_for}))
            neutral = {
                n: next(v.stands_for for v in LEVELS[n] if getattr(MIDDLE, n) < v.below) for n in LEVELS
            }
            assert appeal_in(text) == appeal(seen(**(neutral | {name: level.stands_for}))), text


def test_levels_are_in_order_and_stand_for_a_value_within():
    for levels in LEVELS.values():
        ends = [float("-inf"), *(level.below for level in levels)]
        assert ends == sorted(ends) and ends[-1] == float("inf")
        assert all(
            low <= level.stands_for < level.below
            for low, level in itertools.pairwise([None, *levels])
            for low in [low.below if low else -1]
        )
        words = [word for level in levels for word in level.words]
        assert len(set(words)) == len(words)


def test_the_longer_phrase_wins_and_case_does_not_matter():
    assert appeal_in("A VERY DARK PICTURE of a house.") < appeal_in("A dark picture of a house.") < 0
    assert appeal_in("Vibrant, striking and crisp.") > 0.4


def test_a_caption_of_what_is_shown_alone_has_no_appeal():
    for text in (
        "",
        "Two men face each other across a table.",
        "A dark-haired woman; brightness and sharpness go unsaid.",
    ):
        assert appeal_in(text) == 0
