"""Picture variants of the thumbnail experiment: the poster, a trailer shot, and a blue-filtered poster.

Visits differ in nothing but the variant (F9).
The variants are the poster, a shot in its place, and the poster under a blue filter.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from openiir.kit.items.ratings import Floats
from openiir.plugin import Image, picture
from openiir.scenarios.recommender.model.pictures.image_features import hue_degrees, open_picture, rgb_planes

if TYPE_CHECKING:
    import PIL.Image

Variant = Literal["poster", "frame", "blue"]
BLUE = (240.0, 1.0, 0.5)
"""Hue in degrees, saturation and lightness of pure blue."""
STRENGTH = 0.3
"""Strength of the blue filter: 0 leaves the poster, 1 makes it pure blue. It stands for the 30 of 100 in each
of hue, lightness and saturation."""
FRAME = 0.6
"""Width of a shot cut from the poster, as a share of the poster's width [design]."""
BLUR = 0.012
"""Blur radius of a shot as a share of its width, like motion blur [design]."""


def variants(image: Image, folder: Path) -> Mapping[Variant, Image]:
    """Make the three picture variants of a poster; two are written to `folder` as PNG.

    A crop of the poster stands in for a shot from the trailer (see `cut_shot`), which keeps the poster's
    colours and so says less than a real one. Raises InputError as `open_picture` does.
    """
    poster, name = open_picture(image.path), image.sha256[:32]
    blue, frame = folder / f"{name}-blue.png", folder / f"{name}-frame.png"
    filter_blue(poster).save(blue)
    cut_shot(poster, seed=int(image.sha256[:8], 16)).save(frame)
    return {"poster": image, "frame": picture(frame), "blue": picture(blue)}


def filter_blue(poster: "PIL.Image.Image", strength: float = STRENGTH) -> "PIL.Image.Image":
    """Shift every pixel towards pure blue in HSL by a share `strength` of the distance.

    The study that this follows gives "hue = 30, lightness = 30, saturation = 30" and no definition (SimUSER,
    F.6). Ours: hue and saturation are one point in the plane, S at the angle H, and go straight towards
    blue's (240 degrees, 1); lightness goes towards blue's 0.5. So a grey takes on blue, blue stays, and
    orange fades rather than turns green or red on its way around the circle.
    """
    import PIL.Image

    hue, saturation, lightness = rgb_to_hsl(rgb_planes(poster))
    angle, target = np.deg2rad(hue), np.deg2rad(BLUE[0])
    x = (1 - strength) * saturation * np.cos(angle) + strength * BLUE[1] * np.cos(target)
    y = (1 - strength) * saturation * np.sin(angle) + strength * BLUE[1] * np.sin(target)
    mixed = hsl_to_rgb(
        np.rad2deg(np.arctan2(y, x)) % 360, np.hypot(x, y), lightness + strength * (BLUE[2] - lightness)
    )
    return PIL.Image.fromarray(np.moveaxis(np.round(255 * mixed).astype(np.uint8), 0, 2))


def cut_shot(poster: "PIL.Image.Image", seed: int) -> "PIL.Image.Image":
    """Cut a random 16:9 piece out of the poster, enlarged and blurred, in place of a trailer shot."""
    import PIL.Image
    import PIL.ImageFilter

    width = max(1, round(FRAME * poster.width))
    height = min(poster.height, max(1, round(width * 9 / 16)))
    draw = np.random.default_rng(seed)
    left = int(draw.integers(poster.width - width + 1))
    top = int(draw.integers(poster.height - height + 1))
    piece = poster.crop((left, top, left + width, top + height))
    wide = piece.resize(
        (poster.width, max(1, round(poster.width * height / width))), PIL.Image.Resampling.BICUBIC
    )
    return wide.filter(PIL.ImageFilter.GaussianBlur(BLUR * poster.width))


def rgb_to_hsl(rgb: Floats) -> tuple[Floats, Floats, Floats]:
    """Convert RGB, (3, ...), 0 to 1, to hue in degrees, saturation and lightness (0 to 1)."""
    top, bottom = rgb.max(axis=0), rgb.min(axis=0)
    lightness = (top + bottom) / 2
    room = 1 - np.abs(2 * lightness - 1)
    saturation = np.divide(top - bottom, room, out=np.zeros_like(room), where=room > 0)
    return hue_degrees(rgb), saturation, lightness


def hsl_to_rgb(hue: Floats, saturation: Floats, lightness: Floats) -> Floats:
    """Convert hue in degrees, saturation and lightness to RGB, (3, ...), 0 to 1."""
    reach = saturation * np.minimum(lightness, 1 - lightness)
    parts = []
    for offset in (0, 8, 4):
        k = (offset + hue / 30) % 12
        parts.append(lightness - reach * np.clip(np.minimum(k - 3, 9 - k), -1, 1))
    return np.clip(np.stack(parts), 0, 1)
