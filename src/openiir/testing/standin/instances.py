"""Write a random-looking instance of the JSON schema of a reply."""

import json
import re
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from openiir.testing.standin.words import PromptWords


class SchemaInstances:
    """Generator of JSON values that fit a reply's schema, in the words of one prompt."""

    def __init__(self, root: Mapping[str, Any], choices: Random, words: PromptWords) -> None:
        self._root = root
        self._choices = choices
        self._words = words
        self._writers: dict[str, Callable[[Mapping[str, Any]], Any]] = {
            "object": lambda schema: {name: self._any(part) for name, part in schema["properties"].items()},
            "array": self._array,
            "string": self._string,
            "integer": self._integer,
            "number": self._number,
            "boolean": lambda schema: bool(choices.randrange(2)),
            "null": lambda schema: None,
        }

    def write(self) -> Any:
        """Generate a JSON value that fits the root schema."""
        return self._any(self._root)

    def _any(self, schema: Mapping[str, Any]) -> Any:
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self._choices.choice(schema["enum"])
        if "anyOf" in schema:
            return self._any(self._choices.choice(schema["anyOf"]))
        if schema.get("type") not in self._writers:
            raise ValueError(f"the stand-in writes no value for the schema {dict(schema)}")
        return self._writers[schema["type"]](schema)

    def _array(self, schema: Mapping[str, Any]) -> list[Any]:
        if "prefixItems" in schema:
            return [self._any(part) for part in schema["prefixItems"]]
        least = schema.get("minItems", 0)
        count = self._choices.randint(least, min(schema.get("maxItems", least + 3), least + 3))
        return [self._any(schema["items"]) for _ in range(count)]

    def _string(self, schema: Mapping[str, Any]) -> str:
        """Write sentences, or where there is a pattern a word of the prompt that fits it, if one does."""
        longest, shortest = schema.get("maxLength"), schema.get("minLength", 0)
        fits = re.compile(schema.get("pattern", "(?!)")).search
        most = longest if longest is not None else 10**9
        shown = [token for token in self._words.tokens() if shortest <= len(token) <= most and fits(token)]
        return self._choices.choice(shown) if shown else self._words.text(self._choices, longest, shortest)

    def _integer(self, schema: Mapping[str, Any]) -> int:
        low, high = _bounds(schema, 100)
        least = int(low) + (low == schema.get("exclusiveMinimum"))
        return self._choices.randint(least, int(high) - (high == schema.get("exclusiveMaximum")))

    def _number(self, schema: Mapping[str, Any]) -> float:
        low, high = _bounds(schema, 1.0)
        inside = low + (high - low) * (0.001 + 0.998 * self._choices.random())
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
        if "properties" in value:
            found = value
    return found
