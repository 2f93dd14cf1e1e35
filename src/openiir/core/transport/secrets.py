"""Secrets from environment variables, which are sent to endpoints but never shown or stored."""

import json
import os
from collections.abc import Iterable
from urllib.parse import quote

from openiir.core.errors import InputError


class Secret:
    """A secret from an environment variable; its text, repr and pickle never contain the value."""

    __slots__ = ("_value", "spellings", "variable")

    def __init__(self, variable: str | None = None, value: str = "") -> None:
        self.variable = variable
        self._value = value
        self.spellings = frozenset({value, json.dumps(value)[1:-1], quote(value, safe="")} if value else ())
        """The value plain, JSON-escaped and percent-encoded."""

    @classmethod
    def read(cls, variable: str, needed: str, otherwise: str = "", shortest: int = 1) -> "Secret":
        """Read a secret from an environment variable; `needed` begins the error text ("a header needs").

        Raises InputError where the variable is unset, shorter than `shortest`, or holds what no header can
        carry.
        """
        value = os.environ.get(variable, "").strip()
        if len(value) < shortest:
            state = f"holds fewer than {shortest} characters" if value else "is unset or empty"
            raise InputError(
                f"{needed} the environment variable {variable}, which {state}; set it before you start "
                f"(export {variable}=...){otherwise}"
            )
        if not value.isprintable():
            raise InputError(
                f"the environment variable {variable} holds a line break or control character, which no "
                "header may; set it to the bare value"
            )
        return cls(variable, value)

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return f"Secret(${{{self.variable}}})" if self.variable else "Secret(none)"

    def __reduce__(self) -> str:
        raise TypeError("a secret is not to be stored; read it from its variable again")

    def reveal(self) -> str:
        """Return the value itself, for a request's header only."""
        return self._value


def redact(text: str, secrets: Iterable[Secret]) -> str:
    """Replace every secret in a text, however it is spelled, by its `${NAME}`; the longest first."""
    spelled = [(value, secret.variable) for secret in secrets for value in secret.spellings]
    for value, variable in sorted(spelled, key=lambda pair: (-len(pair[0]), pair)):
        text = text.replace(value, f"${{{variable}}}")
    return text
