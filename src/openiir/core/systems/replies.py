"""Extraction of text, data and signals from a system's raw answer."""

import json
import math
from collections.abc import Sequence
from itertools import islice
from typing import Any, NoReturn

from openiir.core.hashing import canonical
from openiir.core.records import Record
from openiir.core.systems import paths
from openiir.core.systems.declaration import Signal, SystemSpec
from openiir.core.systems.faults import SystemFault, quote_start

_DEEPEST = 100


class SystemReply(Record):
    """One answer of a system under test."""

    text: str
    """Text of the answer; canonical JSON if the declared path leads to something other than text."""
    data: Any = None
    """The answer's JSON, or the part at the declared `data` path; None if the answer is not JSON."""
    ended: bool = False
    """Whether the system signalled that the session is over."""
    raw: str
    """The raw answer, with secrets removed."""


def read_system_reply(
    spec: SystemSpec, raw: str, where: tuple[str, ...], data_at: tuple[str, ...] | None = None
) -> tuple[SystemReply, Any]:
    """Parse a raw answer; returns the reply (text from the first path of `where`) and the whole JSON.

    Without any `where` the text is empty.

    Raises SystemFault for an answer that is no JSON where JSON was declared, and for one without a text.
    """
    raw = replace_surrogates(raw)
    whole = _parse(spec, raw, where)
    text = _find_text(spec, raw, whole, where)
    data = whole if data_at is None else _find_value(spec, raw, whole, data_at)[1]
    ended = spec.end is not None and meets_signal(spec.end, text, whole)
    return SystemReply(text=text, data=data, ended=ended, raw=raw), whole


def kept_values(spec: SystemSpec, keep: dict[str, str], raw: str, whole: Any) -> dict[str, Any]:
    """Extract from an answer the values that later requests need for their placeholders."""
    return {name: _find_value(spec, raw, whole, (path,))[1] for name, path in keep.items()}


def meets_signal(signal: Signal, text: str, whole: Any) -> bool:
    """Whether a system's answer meets a condition declared for a signal, such as the dialogue's end."""
    if signal.text is not None and signal.text in text:
        return True
    if signal.path is None:
        return False
    value = text if signal.path == paths.RAW else paths.value_at(whole, signal.path)
    if value is paths.MISSING:
        return False
    return bool(value) if signal.value is None else bool(value == signal.value)


def is_ignored(spec: SystemSpec, raw: str) -> bool:
    """Whether the declaration says to ignore a message."""
    if spec.ignore is None:
        return False
    raw = replace_surrogates(raw)
    return meets_signal(spec.ignore, raw, _parse_or_default(raw))


def join_messages(messages: Sequence[str]) -> str:
    """Join messages into one answer, a JSON list; a message that is not JSON becomes a text in it."""
    return canonical([_parse_or_default(message, message) for message in messages])


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates, which UTF-8 cannot encode, in a text."""
    return text.encode("utf-8", "replace").decode("utf-8")


def parse_answer(raw: str) -> Any:
    """Parse standard JSON; raises ValueError also for NaN, infinities and more than 100 levels."""
    try:
        value = json.loads(
            raw.removeprefix("\ufeff"), parse_constant=_refuse_constant, parse_float=_finite_number
        )
    except RecursionError:
        raise ValueError("nested too deeply") from None
    # How deep is too deep for the parser itself differs from one Python to the next.
    if raw.count("[") + raw.count("{") > _DEEPEST and _is_deep(value):
        raise ValueError("nested too deeply")
    return json.loads(replace_surrogates(json.dumps(value, ensure_ascii=False))) if "\\u" in raw else value


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


def _finite_number(number: str) -> float:
    value = float(number)
    return value if math.isfinite(value) else _refuse_constant(number)


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(_DEEPEST):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return any(isinstance(left, dict | list) for left in level)


def _parse_or_default(raw: str, otherwise: Any = None) -> Any:
    try:
        return parse_answer(raw)
    except ValueError:
        return otherwise


def _parse(spec: SystemSpec, raw: str, where: tuple[str, ...]) -> Any:
    if paths.RAW in where or not where:
        value = _parse_or_default(raw)
        return value if isinstance(value, dict | list) else None
    try:
        return parse_answer(raw)
    except ValueError:
        shape = "an HTML page" if raw.lstrip()[:1] == "<" else "no JSON" if raw.strip() else "nothing"
        raise SystemFault(
            spec.label,
            f"answered {shape} where JSON was declared: {quote_start(raw)}",
            'check the address and the system\'s own log, or, if this is how it answers, add "text" (the raw '
            "answer) as the last of response",
        ) from None


def _find_text(spec: SystemSpec, raw: str, whole: Any, where: tuple[str, ...]) -> str:
    if not where:
        return ""
    path, value = _find_value(spec, raw, whole, where, absent=(None, paths.MISSING))
    if paths.collects_many(path):
        return "\n".join(_as_text(element) for element in value if element is not None)
    return _as_text(value)


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else canonical(value)


def _find_value(
    spec: SystemSpec, raw: str, whole: Any, where: tuple[str, ...], absent: tuple[Any, ...] = (paths.MISSING,)
) -> tuple[str, Any]:
    """Find the first path whose value is not in `absent`; raises SystemFault if there is none."""
    for path in where:
        value = raw if path == paths.RAW else paths.value_at(whole, path)
        if not any(value is one for one in absent):
            return path, value
    found = list(islice(paths.text_paths(whole), 6))
    hint = f"texts stand at {', '.join(found)}" if found else "it holds no text at all"
    raise SystemFault(
        spec.label,
        f"the answer has nothing at {' or '.join(where)}: {quote_start(raw)}",
        f"{hint}; correct the path in the declaration",
    )
