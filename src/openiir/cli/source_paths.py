"""Resolve sources named on the command line, and the folder from which they are read."""

import os
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path

from openiir.core.errors import InputError
from openiir.core.world.irdatasets import PREFIX


def resolve_sources(sources: Sequence[str]) -> tuple[tuple[str, ...], Path]:
    """Return the sources named on the command line, and the folder from which they are read.

    The folder is the working folder if it contains them all, else the nearest folder that contains all those
    named. Raises InputError for a web address.
    """
    if pages := [s for s in sources if s.startswith(("http://", "https://"))]:
        raise InputError(
            f"{pages[0]} is a web page, and files and folders are read here; save it and name the file"
        )
    elsewhere = ("$", PREFIX)
    named = [s if s.startswith(elsewhere) else os.path.normpath(Path(s).absolute()) for s in sources]
    here, above = Path.cwd(), [_folder_of(Path(s)) for s in named if not s.startswith(elsewhere)]
    inside = all(folder.is_relative_to(here) for folder in above)
    return tuple(named), here if inside else Path(os.path.commonpath(above))


def _folder_of(place: Path) -> Path:
    """Return the folder that contains a path or pattern; the working folder itself for the working folder."""
    if place == Path.cwd():
        return place
    plain = [*takewhile(lambda part: not any(mark in part for mark in "*?["), place.parent.parts)]
    return Path(*plain)
