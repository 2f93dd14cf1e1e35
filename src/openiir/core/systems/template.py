"""Request templates: JSON whose texts contain placeholders such as `{text}`, `{session}` and `{history}`.

A placeholder that is a whole value keeps its type (a list stays a list); inside a longer text it is written
out, values that are no text as JSON. It is put into the tree, never into JSON's spelling, so that no quote or
brace in an utterance can break out. As an element of a list, `{*name}` puts in the elements of the list of
that name; elsewhere it is the list. `{{name}}` stands for a literal `{name}`; other braces are themselves.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from openiir.core.errors import UnknownName
from openiir.core.hashing import canonical

_PLACEHOLDER = re.compile(r"\{\{(?P<literal>[A-Za-z_]\w*)\}\}|\{(?P<name>[A-Za-z_]\w*)\}")
_SPREAD = re.compile(r"\{\*(?P<name>[A-Za-z_]\w*)\}")


def placeholders(template: Any) -> Iterator[str]:
    """List the placeholder names of a template, in order, with repeats."""
    if isinstance(template, str):
        if whole := _SPREAD.fullmatch(template):
            yield whole["name"]
        yield from (m["name"] for m in _PLACEHOLDER.finditer(template) if m["name"])
    elif isinstance(template, Mapping):
        for value in template.values():
            yield from placeholders(value)
    elif isinstance(template, list | tuple):
        for value in template:
            yield from placeholders(value)


def fill(template: Any, values: Mapping[str, Any]) -> Any:
    """Replace the placeholders of a template; raises UnknownName (an InputError) for one without a value."""
    if isinstance(template, str):
        whole = _PLACEHOLDER.fullmatch(template) or _SPREAD.fullmatch(template)
        if whole and whole["name"]:
            return _value(whole["name"], values)
        return fill_text(template, values)
    if isinstance(template, Mapping):
        return {key: fill(value, values) for key, value in template.items()}
    if isinstance(template, list | tuple):
        return [element for value in template for element in _elements(value, values)]
    return template


def fill_known(template: Any, values: Mapping[str, Any]) -> Any:
    """Replace the placeholders that have a value, leaving the others."""
    if isinstance(template, str):
        whole = _PLACEHOLDER.fullmatch(template)
        if whole and whole["name"] in values:
            return values[whole["name"]]
        return _PLACEHOLDER.sub(lambda m: str(values.get(m["name"], m[0])), template)
    if isinstance(template, Mapping):
        return {key: fill_known(value, values) for key, value in template.items()}
    if isinstance(template, list | tuple):
        return [fill_known(value, values) for value in template]
    return template


def fill_text(
    template: str, values: Mapping[str, Any], spell: Callable[[str], str] = lambda text: text
) -> str:
    """Replace the placeholders of a text, passing each value through `spell` (such as URL quoting)."""

    def value_text(match: re.Match[str]) -> str:
        if match["literal"]:
            return f"{{{match['literal']}}}"
        value = _value(match["name"], values)
        return spell(value if isinstance(value, str) else canonical(value))

    return _PLACEHOLDER.sub(value_text, template)


def _elements(template: Any, values: Mapping[str, Any]) -> list[Any]:
    """Fill one element of a list template: itself, or all elements of the list it names (`{*name}`)."""
    spread = _SPREAD.fullmatch(template) if isinstance(template, str) else None
    if spread is None:
        return [fill(template, values)]
    value = _value(spread["name"], values)
    return list(value) if isinstance(value, list | tuple) else [value]


def _value(name: str, values: Mapping[str, Any]) -> Any:
    if name not in values:
        raise UnknownName("value for a request template", name, values)
    return values[name]
