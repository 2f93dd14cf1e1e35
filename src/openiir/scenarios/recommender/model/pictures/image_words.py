"""Descriptions of pictures in words, and their appeal computed from features or captions.

What the appeal rests on has been studied; by how much, nobody has published for posters. Thumbnails that
editors chose were sharper and richer in texture (Song et al., CIKM 2016); colourfulness, brightness, image
quality and complexity go with the view-through of videos (Koh & Cui, Decision Support Systems 2022); visual
features of advertisements help to predict clicks (Azimi et al., CIKM 2012); colourfulness and complexity
explain about half of the appeal of a web page at first sight (Reinecke et al., CHI 2013); brighter and more
saturated colours please more (Valdez & Mehrabian, J. Exp. Psychol. General 1994). Every weight, centre and
width below is ours [design].
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from math import fsum

from openiir.plugin import quantise
from openiir.scenarios.recommender.model.pictures.image_features import ImageFeatures


@dataclass(frozen=True)
class FeatureRange:
    """A range of a feature's values, with the words for it."""

    below: float
    """Upper limit of the range, exclusive."""
    stands_for: float
    """Feature value that the words are taken to mean."""
    words: tuple[str, ...]
    """Words for the range. The first is written; all are understood."""


def _levels(*levels: tuple[float, float, str]) -> tuple[FeatureRange, ...]:
    return tuple(FeatureRange(below, value, tuple(words.split(" | "))) for below, value, words in levels)


_END = float("inf")
LEVELS = {
    "brightness": _levels(
        (0.15, 0.1, "very dark picture | very dark"),
        (0.35, 0.25, "dark picture | dimly lit | gloomy | shadowy"),
        (0.55, 0.45, "picture of medium light"),
        (0.75, 0.65, "bright picture | bright | brightly | luminous | sunlit"),
        (_END, 0.85, "very bright picture | very bright"),
    ),
    "contrast": _levels(
        (0.1, 0.07, "flat contrast | low contrast | washed out | washed-out"),
        (0.18, 0.14, "soft contrast"),
        (0.26, 0.22, "clear contrast"),
        (_END, 0.3, "strong contrast | high contrast | striking"),
    ),
    # Hasler & Süsstrunk's seven categories, parted half-way between the values they give for them.
    "colourfulness": _levels(
        (7.5, 0.0, "no colour | black-and-white | monochrome"),
        (24.0, 15.0, "faint colours | muted | desaturated"),
        (39.0, 33.0, "moderate colours"),
        (52.0, 45.0, "full colours"),
        (70.5, 59.0, "rich colours"),
        (95.5, 82.0, "vivid colours | vivid | vibrant | colourful | colorful"),
        (_END, 109.0, "blazing colours"),
    ),
    "edges": _levels(
        (0.06, 0.03, "plain composition | minimalist"),
        (0.18, 0.12, "clear composition"),
        (0.32, 0.25, "detailed composition | intricate"),
        (_END, 0.4, "crowded composition | cluttered | busy"),
    ),
    "sharpness": _levels(
        (0.06, 0.03, "blurred details | blurred | blurry | out of focus"),
        (0.14, 0.1, "soft details"),
        (_END, 0.25, "sharp details | sharp | crisp"),
    ),
    "blue_cast": _levels(
        (0.12, 0.0, "natural colour balance"), (_END, 0.2, "blue cast | blue tint | bluish")
    ),
}
"""Ranges of each feature with their words. All limits but those of Hasler & Süsstrunk are ours [design]."""

WEIGHTS = {
    "sharpness": (0.25, 0.15, 0.15),
    "contrast": (0.2, 0.18, 0.1),
    "colourfulness": (0.2, 45.0, 37.0),
    "brightness": (0.15, 0.4, 0.25),
    "edges": (0.1, 0.2, 0.2),
    "blue_cast": (-0.1, 0.1, 0.1),
}
"""Weight, neutral value and width of each feature in the appeal, where the width is the distance from neutral
at which the effect is full. For `edges` the neutral value is the best one: people like medium complexity."""

MOODS = {(True, True): "lively", (True, False): "calm", (False, True): "tense", (False, False): "sombre"}
"""Mood by whether pleasure and arousal are above those of an ordinary picture."""


def describe_picture(seen: ImageFeatures) -> str:
    """Write a caption of a picture from its features alone."""
    words = {
        name: next(level.words[0] for level in levels if getattr(seen, name) < level.below)
        for name, levels in LEVELS.items()
    }
    hue = "of no leading hue" if seen.hue == "grey" else f"mostly {seen.hue}"
    tone = "warm" if seen.warmth > 0.65 else "cold" if seen.warmth < 0.35 else "neither warm nor cold"
    return (
        f"A {words['brightness']} with {words['contrast']} and {words['colourfulness']}, {hue}, "
        f"{tone} in tone; "
        f"a {words['edges']} with {words['sharpness']} and a {words['blue_cast']}. Its mood is {mood(seen)}."
    )


def mood(seen: ImageFeatures) -> str:
    """Name the mood of a picture by pleasure and arousal, from brightness and saturation.

    Valdez & Mehrabian, 1994. They regress standardised variables; the mean and spread of an ordinary poster
    that stand in here are ours [design].
    """
    brightness, saturation = (seen.brightness - 0.4) / 0.2, (seen.saturation - 0.45) / 0.2
    pleasure, arousal = 0.69 * brightness + 0.22 * saturation, -0.31 * brightness + 0.60 * saturation
    return MOODS[pleasure >= 0, arousal >= 0]


def appeal(seen: ImageFeatures) -> float:
    """Compute the appeal of a picture from its features, -1 (repels) to 1 (attracts); 0 is neutral."""
    return _weighted_sum({name: getattr(seen, name) for name in WEIGHTS})


@lru_cache(maxsize=4_096)
def appeal_in(caption: str) -> float:
    """Compute a picture's appeal from its caption, -1 to 1; 0 for a caption without words of appearance.

    Of the captions made offline it is `appeal` of the look in levels. Captions by others are searched for the
    same words, so a caption of what a picture shows rather than how it looks leaves its appeal near 0.
    """
    found = {name: _PHRASES[name].search(caption) for name in WEIGHTS}
    return _weighted_sum({name: _MEANING[name][one[0].lower()] for name, one in found.items() if one})


def _weighted_sum(values: dict[str, float]) -> float:
    """Add up the effects of features, each from -1 to 1, by weight."""
    parts = []
    for name, value in values.items():
        weight, centre, width = WEIGHTS[name]
        away = (value - centre) / width
        effect = 1 - 2 * min(1.0, abs(away)) if name == "edges" else min(1.0, max(-1.0, away))
        parts.append(weight * effect)
    return quantise(fsum(parts))  # type: ignore[no-any-return]


_MEANING = {
    name: {w: level.stands_for for level in levels for w in level.words} for name, levels in LEVELS.items()
}
_PHRASES = {
    name: re.compile(
        rf"\b(?:{'|'.join(sorted(map(re.escape, words), key=lambda w: (-len(w), w)))})\b", re.IGNORECASE
    )
    for name, words in _MEANING.items()
}
