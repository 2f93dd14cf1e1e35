"""Reading of files of unknown origin, with size limits and clear errors."""

import gzip
import io
import json
import os
import re
import stat
import tomllib
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from openiir.core.errors import InputError
from openiir.core.records import Record

Limit = Literal["file_bytes", "json_bytes", "toml_bytes", "yaml_bytes", "document_bytes"]

_BLOCK = 1 << 20
_DEEPEST = 100
"""Deepest nesting of tables and lists allowed in a TOML file."""
_LONG_KEY = re.compile(
    rf"""(?<![\w\\-])(?:(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){{{_DEEPEST}}}"""
)
"""Dotted key of more parts than that; full stops of a text have a word's end or another stop before them."""
_GZIP = b"\x1f\x8b"
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class InputLimits(Record):
    """Size limits of input files; settings, not part of a study, since limits never change a result."""

    file_bytes: int = Field(1_000_000_000, ge=1)
    """Bytes of a table or any other file, after decompression."""
    json_bytes: int = Field(64_000_000, ge=1)
    """Bytes of a JSON file, which can take thirty times its size in memory."""
    toml_bytes: int = Field(4_000_000, ge=1)
    """Bytes of a TOML file, which takes seconds per megabyte to read."""
    yaml_bytes: int = Field(1_000_000, ge=1)
    """Bytes of a YAML file, which takes ten times as long as TOML."""
    columns: int = Field(10_000, ge=1)
    """Columns of a table."""
    edges: int = Field(200_000, ge=1)
    """Edges of an imported argument graph: each premise of a node with each of its conclusions."""
    document_bytes: int = Field(50_000_000, ge=1)
    """Bytes of a document of a world, and of the text extracted from it."""
    document_seconds: float = Field(60, gt=0)
    """Processor seconds to extract text from an HTML page or a PDF; by the clock it may be ten times that."""
    document_memory: int = Field(1_000_000_000, ge=1)
    """Bytes of memory to extract text from an HTML page or a PDF."""


_find: Callable[[], InputLimits] = InputLimits


def limits() -> InputLimits:
    """Return the size limits in force in this process."""
    return _find()


def set_limits(find: Callable[[], InputLimits]) -> None:
    """Set the function `find` from which this process gets its size limits whenever a file is read."""
    global _find
    _find = find


class Unreadable(InputError):
    """Raised for a file that cannot be used; `reason` is the message without the file's name."""

    def __init__(self, path: object, reason: str) -> None:
        super().__init__(f"{path} {reason}")
        self.reason = reason


def path_text(path: str | Path) -> str:
    """Write a path as text that can be stored and sent, the same under every locale."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def check_file(path: Path) -> int:
    """Return a regular file's size in bytes; raises Unreadable for anything else, such as a pipe."""
    try:
        found = path.stat()
    except FileNotFoundError:
        what = "is a symbolic link to nothing" if path.is_symlink() else "does not exist"
        raise Unreadable(path, f"{what}; check the path") from None
    except OSError as error:
        raise _unreadable(path, error) from None
    except ValueError:
        raise Unreadable(path, "is no path: it holds a zero character; take it out") from None
    if stat.S_ISDIR(found.st_mode):
        raise Unreadable(path, "is a folder; name a file in it")
    if not stat.S_ISREG(found.st_mode):
        raise Unreadable(
            path, "is no regular file (a pipe, a socket or a device); copy what it gives into a file"
        )
    return found.st_size


def read_bytes(path: Path, limit: Limit = "file_bytes") -> bytes:
    """Read a file's bytes as stored; raises Unreadable."""
    size = check_file(path)
    check_size(path, size, limit)
    try:
        return path.read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from None


def read_text(path: Path, encoding: str = "utf-8", limit: Limit = "file_bytes") -> str:
    """Read a text file without its byte order mark, unpacking gzip; raises Unreadable."""
    data = read_bytes(path, limit)
    if path.suffix == ".gz" or data.startswith(_GZIP):
        data = _unpack(path, data, limit)
    try:
        if encoding.lower() in ("utf-8", "utf8"):
            return data.decode("utf-8-sig")
        text = data.decode(encoding)
        text.encode()
        return text
    except UnicodeEncodeError:
        raise Unreadable(path, f"holds half a character as {encoding}; save it as UTF-8") from None
    except UnicodeDecodeError as error:
        row = data.count(b"\n", 0, error.start) + 1
        raise Unreadable(
            path,
            f"is not {encoding} (byte 0x{data[error.start]:02x} in row {row}); save it as UTF-8, or say "
            "which `encoding` it has (such as latin-1) where there is such a key",
        ) from None
    except (LookupError, ValueError):
        raise Unreadable(
            path, f"cannot be read as {encoding!r}, which is no encoding; name one such as latin-1"
        ) from None


def read_json(path: Path, encoding: str = "utf-8") -> Any:
    """Read a JSON file; raises Unreadable."""
    return parse_json(read_text(path, encoding, "json_bytes"), path)


def parse_json(text: str, where: object) -> Any:
    """Parse JSON; raises Unreadable, also for a lone surrogate, which UTF-8 cannot store."""
    try:
        value = json.loads(text)
        if _SURROGATE.search(text):
            json.dumps(value, ensure_ascii=False).encode()
        return value
    except json.JSONDecodeError as error:
        raise Unreadable(
            where, f"is not JSON (line {error.lineno}: {error.msg}); mend it, or export it anew"
        ) from None
    except RecursionError:
        raise Unreadable(where, "is nested too deeply; check that it is the right file") from None
    except UnicodeEncodeError:
        raise Unreadable(
            where, "holds half a character (a lone surrogate such as \\ud800); take it out"
        ) from None
    except ValueError:
        raise Unreadable(where, "holds a number of thousands of digits; write one that can be used") from None


def _check_depth(value: Any, left: int) -> None:
    if not left:
        raise RecursionError
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, dict | list):
            _check_depth(inner, left - 1)


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file; raises Unreadable."""
    return parse_toml(read_text(path, limit="toml_bytes"), path)


def parse_toml(text: str, where: object) -> dict[str, Any]:
    """Parse TOML; raises Unreadable."""
    try:
        if _LONG_KEY.search(text):
            raise RecursionError  # tomllib's time for one dotted key grows with the square of its parts
        found = tomllib.loads(text)
        _check_depth(found, _DEEPEST)
        return found
    except tomllib.TOMLDecodeError as error:
        raise Unreadable(where, f"is not TOML: {error}; mend it there") from None
    except RecursionError:
        raise Unreadable(where, "is nested too deeply; no key of ours needs more than a few levels") from None
    except ValueError:
        raise Unreadable(
            where, "holds a number of thousands of digits; write one that fits its key"
        ) from None


def check_size(path: Path | str, size: int, limit: Limit = "file_bytes") -> None:
    """Raise Unreadable if the size in bytes exceeds the limit."""
    if size > getattr(limits(), limit):
        raise Unreadable(path, too_large(size, limit))


def check_column_count(path: Path, number: int) -> None:
    """Raise Unreadable if a table has more columns than the limit."""
    if number > limits().columns:
        raise Unreadable(
            path, f"has {number:,} columns, the limit is {limits().columns:,}; {limit_remedy('columns')}"
        )


def too_large(size: int, limit: Limit, most: InputLimits | None = None) -> str:
    """Write the error text for an input of this size, under the limits `most` or this process's own."""
    allowed = getattr(most or limits(), limit)
    return f"is too large ({size:,} bytes; the limit is {allowed:,}); {limit_remedy(limit)}"


def limit_remedy(limit: str) -> str:
    """Write the error message's advice for an input over a limit."""
    return f"keep the part that matters, or raise {limit} in the table [inputs] of the settings"


def _unpack(path: Path, data: bytes, limit: Limit) -> bytes:
    blocks: list[bytes] = []
    size = 0
    try:
        with gzip.open(io.BytesIO(data)) as file:
            while block := file.read(_BLOCK):
                size += len(block)
                check_size(path, size, limit)
                blocks.append(block)
    except (OSError, EOFError, zlib.error):
        raise Unreadable(
            path, "cannot be unpacked as gzip; fetch it anew, or take .gz off its name"
        ) from None
    return b"".join(blocks)


def _unreadable(path: Path, error: OSError) -> Unreadable:
    return Unreadable(path, f"cannot be read: {error.strerror or error}; check the path and its permissions")
