"""Draw figures with matplotlib in one style; equal figures give equal bytes under any user settings."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import Any

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#5b5b5b")
"""Okabe and Ito's palette, which colour-blind readers can tell apart."""
GREY, DARK = "#9a9a9a", "#222222"
LETTER = 0.078
"""Width in inches of a letter of a label, at the style's size of 9 points."""
MOST_LABEL = 40
PIXELS = 150
"""Resolution of a PNG, in pixels per inch."""
_METADATA = {
    "svg": ("Date", "Creator", "Format", "Type"),
    "pdf": ("CreationDate", "Creator", "Producer"),
    "png": ("Software",),
}
"""What matplotlib would note in a file of each format."""


@contextmanager
def plot_style(salt: str) -> Iterator[None]:
    """Draw in the common style within a `with` block; ids in SVG come from `salt`, and text stays text."""
    import matplotlib

    ours = {
        "svg.hashsalt": f"openiir/{salt}",
        "svg.fonttype": "none",
        "font.size": 9.0,
        "text.usetex": False,
        "text.parse_math": False,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.grid.axis": "x",
        "grid.color": "#e6e6e6",
        "axes.axisbelow": True,
    }
    plain = {key: value for key, value in matplotlib.rcParamsDefault.items() if not key.startswith("backend")}
    settings: dict[Any, Any] = {**plain, **ours}
    with matplotlib.rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        yield


def render_figure(figure: Any, form: str) -> bytes:
    """Render a figure as svg, pdf or png without date or creator, within the block of its style."""
    out = BytesIO()
    figure.savefig(out, format=form, dpi=PIXELS, metadata=dict.fromkeys(_METADATA[form]))
    return out.getvalue()


def render_svg(figure: Any) -> str:
    """Render a figure as an `<svg>` element, as `render_figure` does."""
    text = render_figure(figure, "svg").decode()
    return text[text.index("<svg") :]


def edges_in(
    width: float, height: float, left: float, right: float, bottom: float, top: float
) -> dict[str, float]:
    """Convert margins around the axes from inches to the shares of a figure's size that matplotlib takes."""
    return {
        "left": left / width,
        "right": 1 - right / width,
        "bottom": bottom / height,
        "top": 1 - top / height,
    }
