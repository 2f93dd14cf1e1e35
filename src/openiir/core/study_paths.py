"""Resolution of paths in a study, which must stay in its folder or in the folder of data sets."""

import os
from pathlib import Path

from openiir.core.errors import InputError

DATA = "OPENIIR_DATA"
"""Environment variable that names the folder of data sets; studies write `$OPENIIR_DATA/...`."""


def study_path(path: str, folder: Path, what: str) -> Path:
    """Resolve a path that a study in `folder` names; `what` describes the path in errors.

    Raises InputError for a place outside the folder it starts from, be it through `..` or a symbolic link,
    and for any variable other than OPENIIR_DATA.
    """
    root, below = split_root(path, folder, what)
    try:
        place, stays = (root / below).resolve(), stays_in(root / below, root)
    except (OSError, RuntimeError, ValueError) as error:
        raise InputError(f"{what} {path!r:.100} cannot be a path: {error!s:.100}; correct it") from None
    if not stays:
        raise InputError(
            f"{what} {path} lies outside the study's folder {folder}; copy it into that folder, or name it "
            f"as ${DATA}/..."
        )
    return place


def split_root(path: str, folder: Path, what: str) -> tuple[Path, str]:
    """Split a path into the folder it must stay in and the rest; raises InputError as `study_path` does."""
    first, slash, below = path.partition("/")
    if slash and first == f"${DATA}":
        if not os.environ.get(DATA):
            raise InputError(f"{what} {path} needs the variable {DATA}, the folder of the data sets; set it")
        return Path(os.environ[DATA]), below
    if first.startswith(("$", "~")):
        raise InputError(
            f"{what} {path}: a path may begin with ${DATA}/ and with no other variable; write it out"
        )
    return folder, path


def stays_in(place: Path, root: Path) -> bool:
    """Whether a path lies in a folder after resolving symbolic links."""
    return place.resolve().is_relative_to(root.resolve())
