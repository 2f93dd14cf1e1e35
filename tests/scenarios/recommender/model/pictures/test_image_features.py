import colorsys
import math
import statistics
import struct
import zlib

import numpy as np
import PIL.Image
import PIL.ImageFilter
import pytest

from openiir.plugin import InputError
from openiir.scenarios.recommender.model.pictures.image_features import (
    EDGE,
    HUES,
    MOST_PIXELS,
    ImageFeatures,
    compute_features,
    hue_degrees,
    look,
    open_picture,
)


def pixels(image):
    """Rows of (red, green, blue) from 0 to 1."""
    return [
        [tuple(c / 255 for c in image.getpixel((x, y))) for x in range(image.width)]
        for y in range(image.height)
    ]


def naive(image):
    """Every descriptor again, pixel by pixel."""
    rows = pixels(image)
    flat = [p for row in rows for p in row]
    light = [[0.299 * r + 0.587 * g + 0.114 * b for r, g, b in row] for row in rows]
    luma = [value for row in light for value in row]
    rg, yb = [255 * (r - g) for r, g, b in flat], [255 * ((r + g) / 2 - b) for r, g, b in flat]
    spread = math.hypot(statistics.pstdev(rg), statistics.pstdev(yb))
    chroma = [max(p) - min(p) for p in flat]
    degrees = [360 * colorsys.rgb_to_hsv(*p)[0] for p in flat]
    mass = [0.0] * 12
    for h, c in zip(degrees, chroma, strict=True):
        mass[int((h + 15) // 30) % 12] += c
    warm = sum(c for h, c in zip(degrees, chroma, strict=True) if h < 120 or h >= 300)
    grey = statistics.mean(chroma) < 0.06
    edges, bends = [], []
    for y in range(1, len(light) - 1):
        for x in range(1, len(light[0]) - 1):
            at = {(i, j): light[y + i][x + j] for i in (-1, 0, 1) for j in (-1, 0, 1)}
            across = sum(w * (at[i, 1] - at[i, -1]) for i, w in ((-1, 1), (0, 2), (1, 1))) / 8
            down = sum(w * (at[1, j] - at[-1, j]) for j, w in ((-1, 1), (0, 2), (1, 1))) / 8
            edges.append(math.hypot(across, down) > EDGE)
            bends.append(at[-1, 0] + at[1, 0] + at[0, -1] + at[0, 1] - 4 * at[0, 0])
    return ImageFeatures(
        brightness=statistics.mean(luma),
        contrast=statistics.pstdev(luma),
        colourfulness=spread + 0.3 * math.hypot(statistics.mean(rg), statistics.mean(yb)),
        saturation=statistics.mean(colorsys.rgb_to_hsv(*p)[1] for p in flat),
        hue="grey" if grey else HUES[max(range(12), key=lambda n: mass[n])],
        warmth=warm / sum(chroma) if sum(chroma) else 0.5,
        edges=statistics.mean(edges),
        sharpness=min(1, math.sqrt(statistics.pvariance(bends) / (20 * statistics.pvariance(luma)))),
        blue_cast=statistics.mean(b - (r + g) / 2 for r, g, b in flat),
    )


def close(one, other):
    assert one.hue == other.hue
    for name in vars(one):
        if name != "hue":
            assert getattr(one, name) == pytest.approx(getattr(other, name), abs=2e-6), name


def test_descriptors_are_those_of_a_plain_loop(drawn):
    close(compute_features(drawn), naive(drawn))
    noise = np.random.default_rng(4).integers(0, 256, (20, 15, 3), dtype=np.uint8)
    close(compute_features(PIL.Image.fromarray(noise)), naive(PIL.Image.fromarray(noise)))


def test_hues_are_those_of_the_standard_library():
    colours = np.random.default_rng(1).integers(0, 256, (200, 3)) / 255
    colours[:9] = [
        (0, 0, 0),
        (1, 1, 1),
        (1, 0, 0),
        (0, 1, 0),
        (0, 0, 1),
        (1, 1, 0),
        (0, 1, 1),
        (1, 0, 1),
        (1, 0, 0.01),
    ]
    wanted = [360 * colorsys.rgb_to_hsv(*colour)[0] for colour in colours]
    assert hue_degrees(colours.T) == pytest.approx(wanted)


def test_plain_colours_are_named(saved):
    named = {
        "red": (255, 0, 0),
        "yellow": (250, 240, 10),
        "blue": (10, 10, 200),
        "grey": (90, 92, 90),
        "pink": (255, 40, 130),
    }
    for name, colour in named.items():
        assert compute_features(PIL.Image.new("RGB", (4, 4), colour)).hue == name
    assert compute_features(PIL.Image.new("RGB", (4, 4), (0, 0, 255))).blue_cast == 1
    assert compute_features(PIL.Image.new("RGB", (4, 4), (255, 90, 0))).warmth == 1


def test_blur_takes_sharpness_and_more_contrast_does_not_give_it(drawn):
    blurred = compute_features(drawn.filter(PIL.ImageFilter.GaussianBlur(3)))
    assert blurred.sharpness < 0.3 * compute_features(drawn).sharpness
    noise = np.random.default_rng(2).integers(0, 2, (90, 90, 1), dtype=np.uint8).repeat(3, 2)
    faint, strong = (compute_features(PIL.Image.fromarray(100 + noise * by)).sharpness for by in (20, 150))
    assert faint == pytest.approx(strong, abs=1e-3) and faint == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize("size", [(1, 1), (2, 300), (300, 1), (3, 3)])
def test_odd_sizes_have_a_look(size):
    seen = compute_features(PIL.Image.new("RGB", size, "white"))
    assert seen.brightness == 1 and seen.edges == seen.sharpness == seen.contrast == 0 and seen.hue == "grey"


@pytest.mark.parametrize(
    ("name", "options"),
    [("a.png", {}), ("a.webp", {"lossless": True}), ("a.gif", {}), ("a.jpg", {"quality": 95})],
)
def test_formats_are_seen_alike(saved, drawn, name, options):
    seen, wanted = look(saved(drawn, name, **options)), compute_features(drawn)
    assert seen.hue == wanted.hue and seen.brightness == pytest.approx(wanted.brightness, abs=0.02)


def test_the_resolution_of_a_file_matters_little(saved, drawn):
    large = drawn.resize((900, 1350), PIL.Image.Resampling.BICUBIC)
    small = drawn.resize((84, 126), PIL.Image.Resampling.BICUBIC)
    one, other = look(saved(large, "large.jpg", quality=95)), look(saved(small, "small.png"))
    for name in ("brightness", "contrast", "saturation", "edges"):
        assert getattr(one, name) == pytest.approx(getattr(other, name), abs=0.04), name


def test_transparency_is_seen_on_white(saved):
    clear = PIL.Image.new("RGBA", (8, 8), (0, 0, 0, 0))
    assert look(saved(clear)).brightness == 1
    assert look(saved(PIL.Image.new("P", (8, 8)), "p.gif", transparency=0)).brightness == 1


def test_a_picture_is_read_once(saved, drawn, monkeypatch):
    image = saved(drawn)
    first = look(image)
    monkeypatch.setattr("openiir.scenarios.recommender.model.pictures.image_features.open_picture", None)
    assert look(image.model_copy()) is first


def png(width, height):
    """A PNG whose header says it is this large, with no pixels behind it."""
    chunks = [
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(b"")),
        (b"IEND", b""),
    ]
    body = b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + body


@pytest.mark.parametrize(("width", "height"), [(60_000, 60_000), (12_000, 8_000), (8_000, 7_000)])
def test_a_bomb_is_refused_before_it_unfolds(saved, width, height):
    assert width * height > MOST_PIXELS
    with pytest.raises(InputError, match=r"bomb\.png has .* pixels; at most 50,000,000 are looked at"):
        open_picture(saved(png(width, height), "bomb.png").path)


def test_what_is_cut_short_or_broken_is_refused_by_name(saved, drawn, tmp_path):
    large = drawn.resize((600, 900))
    for name in ("cut.jpg", "cut.png", "cut.webp"):
        large.save(tmp_path / name)
        whole = (tmp_path / name).read_bytes()
        for part in (len(whole) // 2, 30):
            image = saved(whole[:part], name)
            with pytest.raises(
                InputError, match=r"cut\.\w+ cannot be decoded: .*fetch it again or leave it out"
            ):
                look(image)
    for fake in (
        b"\x89PNG\r\n\x1a\n" + b"x" * 100,
        b"GIF89a" + b"\xff" * 50,
        b"RIFF\x10\0\0\0WEBPVP8 \0\0",
        png(0, 0),
    ):
        with pytest.raises(InputError, match="cannot be decoded"):
            look(saved(fake, "fake.png"))


@pytest.mark.parametrize("name", ["a.png", "a.jpg", "a.gif", "a.webp"])
def test_however_a_file_is_damaged_it_is_seen_or_refused(saved, drawn, tmp_path, name):
    drawn.save(tmp_path / name)
    whole, draw = (tmp_path / name).read_bytes(), np.random.default_rng(7)
    for _ in range(30):
        data = bytearray(whole)
        for at in draw.integers(12, min(len(data), 300), draw.integers(1, 4)):
            data[at] = draw.integers(256)
        (tmp_path / name).write_bytes(
            data[: draw.integers(20, len(data) + 1)] if draw.random() < 0.3 else data
        )
        try:
            assert 0 <= compute_features(open_picture(str(tmp_path / name))).brightness <= 1
        except InputError as refused:
            assert name in str(refused)
