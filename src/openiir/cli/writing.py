"""Writing the file that `--out` names."""

from pathlib import Path

from openiir.core.errors import InputError


def write_out(file: Path, text: str) -> None:
    """Write a text as UTF-8. Raises InputError where the file cannot be written."""
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"--out {file} cannot be written ({error.strerror}); name a file in a folder that exists and may be written"
        ) from None
