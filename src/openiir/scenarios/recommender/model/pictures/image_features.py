"""Low-level features of a picture: brightness, colour, edges and sharpness."""

import math
import warnings
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from openiir.kit.items.ratings import Floats
from openiir.plugin import Image, InputError, first_largest, quantise

if TYPE_CHECKING:
    import PIL.Image

SIDE = 128
"""Number of pixels of the longer side to which pictures are scaled, about the size of a thumbnail."""
MOST_PIXELS = 50_000_000
"""Largest number of pixels of a picture, since a small file can decode to more than memory holds."""
HUES = (
    *("red", "orange", "yellow", "lime green", "green", "sea green"),
    *("cyan", "sky blue", "blue", "violet", "purple", "pink"),
)
"""Names of the twelve hues of 30 degrees each, starting with red around 0."""
GREY = 0.06
"""Mean chroma below which a picture counts as black and white [design]."""
EDGE = 0.1
"""Smallest luma gradient over one pixel (black to white is 1) that counts as an edge [design]."""


@dataclass(frozen=True)
class ImageFeatures:
    """Low-level features of a picture, rounded to the platform's grid."""

    brightness: float
    """Mean luma (ITU-R BT.601), 0 black to 1 white."""
    contrast: float
    """Standard deviation of luma (RMS contrast: Peli, J. Opt. Soc. Am. A 1990), 0 to 0.5."""
    colourfulness: float
    """Colourfulness M of Hasler & Süsstrunk (Human Vision and Electronic Imaging 2003): 0 grey, 33 moderate,
    59 rich, 109 extreme."""
    saturation: float
    """Mean HSV saturation, 0 to 1."""
    hue: str
    """Hue of HUES with the largest share of the chroma; `grey` where there is hardly any."""
    warmth: float
    """Share of the chroma with a hue from purple over red to lime green, 0 to 1; 0.5 without chroma."""
    edges: float
    """Share of pixels on an edge (Sobel, on luma), 0 to 1: visual complexity."""
    sharpness: float
    """Standard deviation of the Laplacian of luma relative to white noise of the same contrast, 0 to 1: a
    focus measure (Pech-Pacheco et al., ICPR 2000) that contrast does not change."""
    blue_cast: float
    """Mean of blue minus the mean of red and green, -1 to 1."""


@lru_cache(maxsize=16_384)
def look(image: Image) -> ImageFeatures:
    """Compute the low-level features of a picture file, cached.

    Raises InputError as `open_picture` does.
    """
    return compute_features(open_picture(image.path))


def open_picture(path: str) -> "PIL.Image.Image":
    """Open a picture file in RGB, at full size or somewhat above SIDE.

    Transparency becomes white; of several frames the first is taken.
    Raises InputError where it cannot be decoded, ends too early, or unfolds to more than MOST_PIXELS.
    """
    import PIL.Image

    try:
        with warnings.catch_warnings():
            # Pillow warns of large pictures and odd metadata; size is checked below.
            warnings.simplefilter("ignore")
            with PIL.Image.open(path, formats=("PNG", "JPEG", "GIF", "WEBP")) as file:
                if file.width * file.height > MOST_PIXELS:
                    raise _too_large(path, f"{file.width} x {file.height} pixels")
                # A JPEG is decoded at a fraction of its size, and so faster.
                file.draft("RGB", (4 * SIDE, 4 * SIDE))
                return _to_rgb(file)
    except PIL.Image.DecompressionBombError:
        raise _too_large(path, "an enormous number of pixels") from None
    except (OSError, SyntaxError, ValueError, EOFError) as error:
        raise InputError(
            f"the picture {path} cannot be decoded: {error}; it is damaged or cut short, so fetch "
            "it again or leave it out"
        ) from None


def compute_features(picture: "PIL.Image.Image") -> ImageFeatures:
    """Compute the features of an RGB picture, scaled down to SIDE where it is larger."""
    small = picture.copy()
    small.thumbnail((SIDE, SIDE))
    red, green, blue = rgb = rgb_planes(small)
    luma = 0.299 * red + 0.587 * green + 0.114 * blue
    top, chroma = rgb.max(axis=0), np.ptp(rgb, axis=0)
    saturation = np.divide(chroma, top, out=np.zeros_like(top), where=top > 0)
    hue, warmth = _leading_hue(rgb, chroma)
    return ImageFeatures(
        brightness=quantise(float(luma.mean())),
        contrast=quantise(float(luma.std())),
        colourfulness=quantise(colourfulness(rgb)),
        saturation=quantise(float(saturation.mean())),
        hue=hue,
        warmth=quantise(warmth),
        edges=quantise(_edges(luma)),
        sharpness=quantise(_sharpness(luma)),
        blue_cast=quantise(float((blue - (red + green) / 2).mean())),
    )


def rgb_planes(picture: "PIL.Image.Image") -> Floats:
    """Convert a picture to an array of red, green and blue, (3, height, width), 0 to 1."""
    return np.ascontiguousarray(np.moveaxis(np.asarray(picture), 2, 0)) / 255


def colourfulness(rgb: Floats) -> float:
    """Compute Hasler & Süsstrunk's colourfulness M of an RGB array (3, h, w), 0 to 1."""
    red, green, blue = 255 * rgb
    across, along = red - green, (red + green) / 2 - blue
    spread = math.hypot(float(across.std()), float(along.std()))
    return spread + 0.3 * math.hypot(float(across.mean()), float(along.mean()))


def hue_degrees(rgb: Floats) -> Floats:
    """Compute the hue of a (3, ...) array in degrees from 0 to 360, red 0; 0 for greys."""
    red, green, blue = rgb
    top, chroma = rgb.max(axis=0), np.ptp(rgb, axis=0)
    chroma = np.where(chroma > 0, chroma, 1.0)
    past = np.where(top == red, green - blue, np.where(top == green, blue - red, red - green)) / chroma
    start = np.where(top == red, 0.0, np.where(top == green, 2.0, 4.0))
    return 60 * ((start + past) % 6)  # type: ignore[no-any-return]


def _leading_hue(rgb: Floats, chroma: Floats) -> tuple[str, float]:
    """Find the name of the leading hue, and the share of warm colours."""
    hue, mass = hue_degrees(rgb), float(chroma.sum())
    if mass == 0:
        return "grey", 0.5
    bins = np.bincount(((hue + 15) // 30 % 12).astype(np.int64).ravel(), weights=chroma.ravel(), minlength=12)
    warm = float(chroma[(hue < 120) | (hue >= 300)].sum()) / mass
    return (HUES[int(first_largest(quantise(bins, mass)))] if chroma.mean() >= GREY else "grey"), warm


def _edges(luma: Floats) -> float:
    if min(luma.shape) < 3:
        return 0.0
    smooth_rows = (luma[:-2] + 2 * luma[1:-1] + luma[2:]) / 8
    smooth_columns = (luma[:, :-2] + 2 * luma[:, 1:-1] + luma[:, 2:]) / 8
    across = smooth_rows[:, 2:] - smooth_rows[:, :-2]
    down = smooth_columns[2:] - smooth_columns[:-2]
    return float((np.hypot(across, down) > EDGE).mean())


def _sharpness(luma: Floats) -> float:
    """Compute the standard deviation of the Laplacian relative to white noise of the same variance.

    White noise has a Laplacian of 20 times its variance.
    """
    variance = float(luma.var())
    if min(luma.shape) < 3 or variance < 1e-6:
        return 0.0
    centre = luma[1:-1, 1:-1]
    laplacian = luma[:-2, 1:-1] + luma[2:, 1:-1] + luma[1:-1, :-2] + luma[1:-1, 2:] - 4 * centre
    return min(1.0, math.sqrt(float(laplacian.var()) / (20 * variance)))


def _to_rgb(file: "PIL.Image.Image") -> "PIL.Image.Image":
    import PIL.Image

    if "A" not in file.getbands() and "transparency" not in file.info:
        return file.convert("RGB")
    seen = file.convert("RGBA")
    white = PIL.Image.new("RGBA", seen.size, "white")
    white.alpha_composite(seen)
    return white.convert("RGB")


def _too_large(path: str, what: str) -> InputError:
    return InputError(
        f"the picture {path} has {what}; at most {MOST_PIXELS:,} are looked at, so scale it down"
    )
