"""Choose the format of the file that `--out` names, and write it."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from openiir.core.errors import InputError

TEXT = {"": "text", ".txt": "text", ".md": "text"}


def format_for(form: str, out: Path | None, endings: Mapping[str, str]) -> str:
    """Return the export format named, else that of the file's ending; InputError for an unknown one."""
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
        raise _refuse(file, error) from None


@contextmanager
def write_beside(out: Path) -> Iterator[Path]:
    """Yield a path for a file or folder that replaces `out` once complete, and is deleted otherwise.

    Raises InputError where it cannot be written.
    """
    partial = out.with_name(f".{out.name}.part")
    try:
        yield partial
        partial.replace(out)
    except OSError as error:
        raise _refuse(out, error) from None
    finally:
        shutil.rmtree(partial, ignore_errors=True)
        with suppress(OSError):
            partial.unlink()


def _refuse(file: Path, error: OSError) -> InputError:
    return InputError(
        f"--out {file} cannot be written ({error.strerror}); name a file in a writable folder with room"
    )
