import asyncio
import colorsys
import json
import math

import numpy as np
import PIL.Image
import pytest

from openiir.plugin import InputError, picture
from openiir.scenarios.recommender.model.pictures.image_features import compute_features, look
from openiir.scenarios.recommender.model.pictures.posters import PALETTES, SIZE, draw_poster, posters
from openiir.scenarios.recommender.model.pictures.variants import (
    cut_shot,
    filter_blue,
    hsl_to_rgb,
    rgb_to_hsl,
    variants,
)
from openiir.scenarios.recommender.run.experiments.thumbnails import thumbnail_captions


def filtered(colour, strength):
    """The blue filter again, on one colour of 0 to 255."""
    hue, lightness, saturation = colorsys.rgb_to_hls(*(c / 255 for c in colour))
    angle, blue = 2 * math.pi * hue, 2 * math.pi * 240 / 360
    x = (1 - strength) * saturation * math.cos(angle) + strength * math.cos(blue)
    y = (1 - strength) * saturation * math.sin(angle) + strength * math.sin(blue)
    turned = (math.atan2(y, x) / (2 * math.pi)) % 1
    mixed = colorsys.hls_to_rgb(turned, lightness + strength * (0.5 - lightness), min(1, math.hypot(x, y)))
    return tuple(round(255 * c) for c in mixed)


def one(colour):
    return PIL.Image.new("RGB", (1, 1), colour)


def test_hsl_there_and_back_is_the_standard_librarys():
    colours = np.random.default_rng(3).random((3, 100))
    colours[:, :4] = [[0, 1, 0.5, 1], [0, 1, 0.5, 0], [0, 1, 0.5, 0]]
    hue, saturation, lightness = rgb_to_hsl(colours)
    for n, colour in enumerate(colours.T):
        turn, light, full = colorsys.rgb_to_hls(*colour)
        assert (hue[n], saturation[n], lightness[n]) == pytest.approx((360 * turn, full, light))
    assert hsl_to_rgb(hue, saturation, lightness) == pytest.approx(colours)


@pytest.mark.parametrize("strength", [0.0, 0.3, 1.0])
def test_the_blue_filter_moves_each_pixel_as_stated(strength):
    colours = [
        (0, 0, 0),
        (255, 255, 255),
        (128, 128, 128),
        (230, 120, 30),
        (10, 200, 40),
        (0, 0, 255),
        (250, 250, 10),
        (3, 9, 4),
    ]
    for colour in colours:
        got = filter_blue(one(colour), strength).getpixel((0, 0))
        assert max(abs(a - b) for a, b in zip(got, filtered(colour, strength), strict=True)) <= 1
    assert filter_blue(one((230, 120, 30)), 1.0).getpixel((0, 0)) == (0, 0, 255)


def test_a_filtered_picture_is_bluer_and_flatter(drawn):
    before, after = compute_features(drawn), compute_features(filter_blue(drawn))
    assert (
        after.blue_cast > before.blue_cast
        and after.contrast < before.contrast
        and after.warmth < before.warmth
    )


def test_a_shot_is_a_blurred_wide_piece_that_its_seed_decides(drawn):
    big = drawn.resize((120, 180))
    piece = cut_shot(big, seed=1)
    assert piece.size == (120, 67) and compute_features(piece).sharpness < compute_features(big).sharpness
    assert piece.tobytes() == cut_shot(big, seed=1).tobytes() != cut_shot(big, seed=2).tobytes()
    assert cut_shot(one("red"), seed=1).size == (1, 1) and cut_shot(
        PIL.Image.new("RGB", (90, 5)), seed=1
    ).size == (
        90,
        8,
    )


def test_variants_are_files_that_the_poster_alone_decides(saved, drawn, tmp_path):
    image = saved(drawn)
    (tmp_path / "x").mkdir()
    (tmp_path / "y").mkdir()
    first, second = variants(image, tmp_path / "x"), variants(image, tmp_path / "y")
    assert list(first) == ["poster", "frame", "blue"] and first["poster"] == image
    assert [v.sha256 for v in first.values()] == [v.sha256 for v in second.values()]
    assert len({v.sha256 for v in first.values()}) == 3


def test_posters_differ_by_title_genre_and_seed():
    night = draw_poster("The Long Night", ("Horror",), 1)
    assert night.size == SIZE and night.mode == "RGB"
    assert night.tobytes() == draw_poster("The Long Night", ("Horror",), 1).tobytes()
    others = [
        draw_poster("The Long Day", ("Horror",), 1),
        draw_poster("The Long Night", ("Comedy",), 1),
        draw_poster("The Long Night", ("Horror",), 2),
    ]
    assert all(other.tobytes() != night.tobytes() for other in others)
    assert (
        compute_features(draw_poster("A", ("Comedy",), 1)).brightness
        > compute_features(night).brightness + 0.2
    )


@pytest.mark.parametrize("genre", sorted(PALETTES))
def test_a_title_stands_out_from_its_ground(genre):
    for seed in range(3):
        head = np.asarray(
            draw_poster("Night", (genre,), seed).crop((0, 8, 128, 40)).convert("L"), dtype=float
        )
        away = np.abs(head - np.median(head))
        assert 0.02 < (away > 60).mean() < 0.5


@pytest.mark.parametrize(
    "title",
    [
        "",
        "M",
        "Night of the Living Dead, or: How They Came to Pittsburgh One Evening and Stayed (1968)",
        "Ǝñ \ud800 夜",
    ],
)
def test_any_title_makes_a_poster(title):
    assert draw_poster(title, (), 1).size == SIZE


def test_a_collection_gets_a_poster_an_item(films, tmp_path):
    made = posters(films("", "", captions=("given", "")), tmp_path / "art", seed=4)
    assert made.images == ("000000.png", "000001.png") and made.captions == ()
    assert all(look(picture(tmp_path / "art" / name)) for name in made.images)
    assert len({draw_poster("A", (genre,), 1).tobytes() for genre in PALETTES}) == len(PALETTES)


def test_the_study_captions_three_variants_of_each_item(lane, films, tmp_path):
    made = posters(films("", "", ""), tmp_path, seed=4)
    here = lane()
    said = asyncio.run(thumbnail_captions(here, made, tmp_path, [2, 0]))
    assert list(said) == ["poster", "frame", "blue"] and all(len(s) == 2 and all(s) for s in said.values())
    assert said["poster"][0] != said["poster"][1] and "blurred details" in said["frame"][0]
    noted = [json.loads(text) for _, kind, _, text in here.rows.events if kind == "recommender.thumbnails"]
    assert [n["variant"] for n in noted] == ["poster", "frame", "blue"]
    assert noted[0]["appeal"] > max(noted[1]["appeal"], noted[2]["appeal"])
    again = lane()
    assert (
        asyncio.run(thumbnail_captions(again, made, tmp_path, [2, 0])) == said
        and again.rows.events == here.rows.events
    )


def test_the_study_names_items_without_a_picture(lane, films, saved, drawn, tmp_path):
    saved(drawn, "a.png")
    with pytest.raises(InputError, match=r"'f1' \(Film 1\): it has no picture; give it one"):
        asyncio.run(thumbnail_captions(lane(), films("a.png", ""), tmp_path, [0, 1]))
    (tmp_path / "a.png").write_text("no")
    with pytest.raises(InputError, match=r"'f0' .*a\.png is no picture"):
        asyncio.run(thumbnail_captions(lane(), films("a.png"), tmp_path, [0]))
