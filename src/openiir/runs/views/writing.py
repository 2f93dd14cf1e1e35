"""Choose the format of the file that `--out` names, and write it."""

from collections.abc import Mapping
from pathlib import Path

from openiir.core.errors import InputError

TEXT = {"": "text", ".txt": "text", ".md": "text"}


def format_for(form: str, out: Path | None, endings: Mapping[str, str]) -> str:
    """Return the format named, or else the format of the file's ending; raises InputError for an unknown ending."""
    if form or out is None:
        return form or "text"
    known = {**TEXT, **endings}
    if out.suffix.lower() not in known:
        raise InputError(
            f"--out {out}: nothing is written as {out.suffix}; end the name in one of "
            f"{', '.join(filter(None, known))}, or say with --format what the file shall hold"
        )
    return known[out.suffix.lower()]


def write_out(file: Path, text: str) -> None:
    """Write a text to a file as UTF-8. Raises InputError where the file cannot be written."""
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"--out {file} cannot be written ({error.strerror}); name a file in a folder that exists and may be written"
        ) from None
