"""Synthetic posters drawn from title and genres, for picture studies without real posters."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from openiir.kit.items import Collection

if TYPE_CHECKING:
    import PIL.Image

Colour = tuple[int, int, int]
SIZE = (128, 192)
"""Width and height of a poster in pixels."""
PALETTES: dict[str, tuple[Colour, Colour, Colour]] = {
    "Action": ((235, 120, 30), (40, 12, 10), (255, 220, 120)),
    "Adventure": ((70, 150, 90), (225, 160, 60), (255, 245, 200)),
    "Animation": ((60, 180, 235), (250, 210, 70), (230, 60, 90)),
    "Children's": ((250, 205, 60), (90, 200, 120), (225, 70, 60)),
    "Comedy": ((255, 235, 120), (245, 245, 235), (225, 60, 50)),
    "Crime": ((70, 20, 24), (25, 25, 30), (215, 205, 190)),
    "Documentary": ((120, 140, 130), (70, 80, 80), (235, 235, 225)),
    "Drama": ((125, 95, 75), (55, 60, 80), (235, 215, 185)),
    "Fantasy": ((110, 60, 170), (40, 30, 90), (245, 215, 120)),
    "Film-Noir": ((90, 90, 90), (15, 15, 15), (235, 235, 235)),
    "Horror": ((60, 0, 6), (8, 6, 8), (245, 70, 55)),
    "Musical": ((190, 60, 150), (90, 30, 110), (255, 225, 110)),
    "Mystery": ((45, 50, 95), (16, 16, 32), (190, 200, 225)),
    "Romance": ((250, 170, 180), (210, 90, 110), (255, 245, 240)),
    "Sci-Fi": ((12, 30, 75), (4, 6, 20), (90, 230, 250)),
    "Thriller": ((20, 60, 66), (10, 16, 20), (225, 180, 60)),
    "War": ((105, 105, 60), (50, 48, 34), (220, 205, 160)),
    "Western": ((225, 170, 95), (120, 65, 30), (60, 30, 16)),
}
"""Colours of each MovieLens genre: top, bottom and accent [design]."""
OTHER = ((110, 120, 135), (60, 66, 76), (235, 230, 215))


def posters(collection: Collection, folder: Path, seed: int) -> Collection:
    """Draw a poster for each item and write it to `folder` as PNG.

    Returns the collection with the posters as images and without captions.
    """
    folder.mkdir(parents=True, exist_ok=True)
    names = tuple(f"{n:06d}.png" for n in range(len(collection)))
    for item, name in enumerate(names):
        draw_poster(collection.titles[item], collection.values("genre", item), seed).save(folder / name)
    return replace(collection, images=names, captions=())


def draw_poster(title: str, genres: Sequence[str], seed: int) -> "PIL.Image.Image":
    """Draw one poster; the same for the same title, genres and seed."""
    import PIL.Image
    import PIL.ImageDraw

    width, height = SIZE
    named = hashlib.sha256(f"{seed}\x1f{title}".encode("utf-8", "surrogatepass")).digest()
    draw = np.random.default_rng(int.from_bytes(named[:8], "big"))
    above, below, accent = _palette(genres, draw)
    fade = np.linspace(0, 1, height)[:, None, None]
    ground = np.round((1 - fade) * np.array(above) + fade * np.array(below))
    image = PIL.Image.fromarray(np.broadcast_to(ground, (height, width, 3)).astype(np.uint8))
    brush = PIL.ImageDraw.Draw(image)
    # A disc, like a sun or a moon.
    x, y, radius = int(draw.integers(24, 104)), int(draw.integers(50, 90)), int(draw.integers(12, 30))
    brush.ellipse((x - radius, y - radius, x + radius, y + radius), fill=accent)
    for _ in range(int(draw.integers(1, 4))):
        _figure(brush, draw, tuple(int(part) // 3 for part in below))
    for y in (178, 182, 186):  # lines in place of credits, too small to be read
        left = int(draw.integers(14, 30))
        brush.line((left, y, 127 - left, y), fill=accent, width=1)
    _title(brush, title, accent)
    return image


def _palette(genres: Sequence[str], draw: np.random.Generator) -> tuple[Colour, ...]:
    """Choose the colours of the first known genre, each varied a little."""
    palette = next((PALETTES[genre] for genre in genres if genre in PALETTES), OTHER)
    return tuple(
        tuple(int(part) for part in np.clip(np.array(colour) + draw.integers(-18, 19, 3), 0, 255))  # type: ignore[misc]
        for colour in palette
    )


def _figure(brush: Any, draw: np.random.Generator, colour: tuple[int, ...]) -> None:
    """Draw a human figure from behind."""
    x, tall = int(draw.integers(20, 108)), int(draw.integers(55, 100))
    foot, head = 172, tall // 7
    top = foot - tall
    brush.ellipse((x - head, top, x + head, top + 2 * head), fill=colour)
    brush.polygon(
        [(x - head, top + 2 * head), (x + head, top + 2 * head), (x + 2 * head, foot), (x - 2 * head, foot)],
        colour,
    )


@cache
def _load_font(size: int) -> Any:
    import PIL.ImageFont

    return PIL.ImageFont.load_default(size)


def _title(brush: Any, title: str, colour: Colour) -> None:
    """Draw the title in the largest letters that fit, in up to three lines, with a dark outline."""
    words = title.upper().split() or ["UNTITLED"]
    per_line = -(-len(words) // min(3, len(words)))
    text = "\n".join(" ".join(words[n : n + per_line]) for n in range(0, len(words), per_line))
    for size in range(26, 5, -2):
        font = _load_font(size)
        left, top, right, bottom = brush.multiline_textbbox((0, 0), text, font=font, stroke_width=1)
        if right - left <= SIZE[0] - 12:
            break
    where = ((SIZE[0] - (right - left)) / 2 - left, 8 - top)
    brush.multiline_text(
        where, text, font=font, fill=colour, align="center", stroke_width=1, stroke_fill=(10, 10, 10)
    )
