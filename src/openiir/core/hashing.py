"""Canonical JSON and SHA-256, so that equal content has equal hashes."""

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
"""The encoder that `json.dumps` builds for each call (sorted keys, no white space, no NaN), built once."""


def canonical(value: Any) -> str:
    """Canonical JSON of a value: sorted keys, no white space, shortest form of floats.

    Raises ValueError for NaN and infinities; write an undefined number as `null` with a reason.
    """
    return "".join(_PARTS(value, 0))


def sha256(data: bytes | str) -> str:
    """Hex SHA-256 of bytes, or of a text's UTF-8 form (lone surrogates included)."""
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    return hashlib.sha256(raw).hexdigest()


def fingerprint(value: Any) -> str:
    """Hex SHA-256 of a value's canonical JSON."""
    return sha256(canonical(value))


def hash_rows(rows: Iterable[str]) -> str:
    """Hex SHA-256 over rows in order, each prefixed with its length so that boundaries count."""
    digest = hashlib.sha256()
    for row in rows:
        raw = row.encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(8, "big"))
        digest.update(raw)
    return digest.hexdigest()
