"""Canonical JSON and SHA-256 hashes, equal for equal content."""

import hashlib
import json.encoder
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if hasattr(value, "item") and not isinstance(value, (list, dict, str)):
        return value.item()
    raise TypeError(f"{type(value).__name__} has no canonical JSON form")


_PARTS = json.encoder.c_make_encoder(  # type: ignore[attr-defined]
    None, _plain, json.encoder.encode_basestring, None, ":", ",", True, False, False
)
"""Encoder equal to `json.dumps` with sorted keys, no white space and no NaN, built once for speed."""


def canonical(value: Any) -> str:
    """Write a value as canonical JSON: sorted keys, no white space, shortest form of floats.

    Raises ValueError for NaN and infinities; write an undefined number as `null` with a reason.
    """
    return "".join(_PARTS(value, 0))


def sha256(data: bytes | str) -> str:
    """Compute the hex SHA-256 of bytes or of a text in UTF-8 (lone surrogates included)."""
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    return hashlib.sha256(raw).hexdigest()


def fingerprint(value: Any) -> str:
    """Compute the hex SHA-256 of a value's canonical JSON."""
    return sha256(canonical(value))


def hash_rows(rows: Iterable[str]) -> str:
    """Compute the hex SHA-256 of rows in order; each row's length is hashed too, so boundaries count."""
    digest = hashlib.sha256()
    for row in rows:
        raw = row.encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(8, "big"))
        digest.update(raw)
    return digest.hexdigest()
