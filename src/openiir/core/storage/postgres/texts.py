"""Texts that PostgreSQL refuses, written so that they come back as they were.

PostgreSQL stores every character but U+0000. It is written as U+FDD0 and `0`, and U+FDD0, which Unicode gives
no meaning, as U+FDD0 and `1`.
"""

MARK = "\ufdd0"
_NUL = "\0"


def encode_text(text: str) -> str:
    """Write a text without U+0000."""
    if MARK in text:
        text = text.replace(MARK, f"{MARK}1")
    return text.replace(_NUL, f"{MARK}0") if _NUL in text else text


def decode_text(text: str) -> str:
    """Return the text that `encode_text` was given."""
    return text.replace(f"{MARK}0", _NUL).replace(f"{MARK}1", MARK) if MARK in text else text
