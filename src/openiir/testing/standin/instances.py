"""Write a random-looking instance of a JSON schema."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from openiir.testing.standin.choices import Choices
from openiir.testing.standin.patterns import write_matching
from openiir.testing.standin.words import PromptWords

_DEEPEST = 8
"""Nesting beyond which optional parts and further items are left out, so that recursion ends."""


class Instances:
    """Writer of instances of one JSON schema, using the words of one prompt."""

    def __init__(self, root: Mapping[str, Any], choices: Choices, words: PromptWords) -> None:
        self._root = root
        self._choices = choices
        self._words = words
        self._writers: dict[str, Callable[[Mapping[str, Any], int], Any]] = {
            "object": self._object,
            "array": self._array,
            "string": self._string,
            "integer": self._integer,
            "number": self._number,
            "boolean": lambda schema, depth: bool(choices.below(2)),
            "null": lambda schema, depth: None,
        }

    def write(self) -> Any:
        """Write an instance of the root schema."""
        return self._any(self._root, 0)

    def _any(self, schema: Any, depth: int) -> Any:
        if not isinstance(schema, Mapping):
            return self._words.sentence(self._choices)
        schema = self._resolve(schema)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self._choices.one_of(schema["enum"])
        if options := schema.get("anyOf") or schema.get("oneOf"):
            return self._any(self._option(options, depth), depth + 1)
        kind = schema.get("type") or ("object" if "properties" in schema else "string")
        if isinstance(kind, list):
            kind = "null" if depth > _DEEPEST and "null" in kind else self._choices.one_of(kind)
        if kind not in self._writers:
            raise ValueError(f"the stand-in knows no JSON type {kind!r}")
        return self._writers[kind](schema, depth)

    def _resolve(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        while "$ref" in schema or "allOf" in schema:
            parts = list(schema.get("allOf", ()))
            if "$ref" in schema:
                target: Any = self._root
                for step in schema["$ref"].lstrip("#/").split("/"):
                    target = target[step.replace("~1", "/").replace("~0", "~")]
                parts.append(target)
            merged: dict[str, Any] = {}
            for part in [*parts, {k: v for k, v in schema.items() if k not in ("$ref", "allOf")}]:
                for key, value in part.items():
                    if key == "properties":
                        value = {**merged.get(key, {}), **value}
                    elif key == "required":
                        value = [*merged.get(key, ()), *value]
                    merged[key] = value
            schema = merged
        return schema

    def _option(self, options: list[Any], depth: int) -> Any:
        if depth > _DEEPEST:
            simple = [option for option in options if "$ref" not in option and option.get("type") != "array"]
            options = simple or options
        return self._choices.one_of(options)

    def _object(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        required = schema.get("required", ())
        written = {
            name: self._any(part, depth + 1)
            for name, part in schema.get("properties", {}).items()
            if name in required or (depth <= _DEEPEST and self._choices.below(4))
        }
        others = schema.get("additionalProperties")
        if isinstance(others, Mapping) and depth <= _DEEPEST:
            wanted = self._size(schema, "minProperties", "maxProperties")
            for word in dict.fromkeys(self._choices.one_of(self._words.words) for _ in range(4 * wanted)):
                if len(written) < wanted:
                    written[word.lower()] = self._any(others, depth + 1)
        return written

    def _size(self, schema: Mapping[str, Any], least_key: str, most_key: str) -> int:
        least = schema.get(least_key, 0)
        return self._choices.between(least, min(schema.get(most_key, least + 3), least + 3))

    def _array(self, schema: Mapping[str, Any], depth: int) -> list[Any]:
        written = [self._any(part, depth + 1) for part in schema.get("prefixItems", ())]
        count = schema.get("minItems", 0) if depth > _DEEPEST else self._size(schema, "minItems", "maxItems")
        items = schema.get("items", {"type": "string"})
        if items is False:
            return written
        seen = {json.dumps(item, sort_keys=True) for item in written}
        for _ in range(20 * count):
            if len(written) >= count:
                break
            item = self._any(items, depth + 1)
            spelled = json.dumps(item, sort_keys=True)
            if not schema.get("uniqueItems") or spelled not in seen:
                written.append(item)
                seen.add(spelled)
        return written

    def _string(self, schema: Mapping[str, Any], depth: int) -> str:
        longest, shortest = schema.get("maxLength"), schema.get("minLength", 0)
        pattern = schema.get("pattern")
        if pattern is None:
            return self._words.text(self._choices, longest, shortest)
        fits = re.compile(pattern).search
        most = longest if longest is not None else 10**9
        shown = [token for token in self._words.tokens() if shortest <= len(token) <= most and fits(token)]
        return (
            self._choices.one_of(shown)
            if shown
            else write_matching(pattern, self._choices, longest, shortest)
        )

    def _integer(self, schema: Mapping[str, Any], depth: int) -> int:
        step = schema.get("multipleOf", 1)
        low, high = _bounds(schema, 100 * step)
        least = int(low // step) + 1 if low == schema.get("exclusiveMinimum") else -int(-low // step)
        most = -int(-high // step) - 1 if high == schema.get("exclusiveMaximum") else int(high // step)
        return step * self._choices.between(least, most)

    def _number(self, schema: Mapping[str, Any], depth: int) -> float:
        low, high = _bounds(schema, 1.0)
        inside = low + (high - low) * (0.001 + 0.998 * self._choices.uniform())
        rounded = round(inside, 4)
        return rounded if low < rounded < high else inside


def _bounds(schema: Mapping[str, Any], span: float) -> tuple[float, float]:
    """Return the lowest and the highest value of a schema's range; an exclusive bound is not excluded here.

    An open side lies `span` beyond the other side; with both open, the range is 0 to `span`.
    """
    low = max((schema[key] for key in ("minimum", "exclusiveMinimum") if key in schema), default=None)
    high = min((schema[key] for key in ("maximum", "exclusiveMaximum") if key in schema), default=None)
    if low is None:
        low = 0 if high is None or high > 0 else high - span
    return low, low + span if high is None else high


_SCHEMA_START = re.compile(
    r'\{\s*"(?:\$defs|\$schema|properties|additionalProperties|title|type|anyOf|description)"'
)


def schema_in(text: str) -> dict[str, Any] | None:
    """Find the last JSON schema of an object in a text, or None."""
    decoder = json.JSONDecoder()
    found, position = None, 0
    while start := _SCHEMA_START.search(text, position):
        try:
            value, position = decoder.raw_decode(text, start.start())
        except ValueError:
            position = start.start() + 1
            continue
        if "properties" in value or "$ref" in value or "anyOf" in value:
            found = value
    return found
