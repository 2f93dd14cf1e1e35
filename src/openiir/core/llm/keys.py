"""API keys, which are sent to endpoints but never shown or stored."""

import os
from collections.abc import Mapping
from urllib.parse import quote

from openiir.core.errors import InputError

LONG_ENOUGH_TO_BE_SECRET = 12


class ApiKey:
    """An API key from an environment variable; its text, repr and pickle never contain the value."""

    __slots__ = ("_value", "variable")

    def __init__(self, variable: str | None, value: str = "") -> None:
        self.variable = variable
        self._value = value

    @classmethod
    def from_environment(cls, variable: str | None, environment: Mapping[str, str] | None = None) -> "ApiKey":
        """Read the key from an environment variable; None gives an empty key.

        Raises InputError where the variable is named but unset, empty, or holds what no header can carry.
        """
        if variable is None:
            return cls(None)
        value = (os.environ if environment is None else environment).get(variable, "").strip()
        if not value:
            raise InputError(
                f"the settings name ${variable} as the variable that holds the API key, but it is unset or "
                f"empty; export it, or take `key_env` out if this endpoint needs no key"
            )
        if not value.isascii() or not value.isprintable() or " " in value:
            raise InputError(
                f"${variable} holds characters that no API key has (spaces, line breaks or letters beyond "
                f"ASCII); export the key anew"
            )
        return cls(variable, value)

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return f"Key(${self.variable})" if self.variable else "Key(none)"

    def __reduce__(self) -> str:
        raise TypeError("a key is not to be stored; read it from its variable again")

    def reveal(self) -> str:
        """Return the key itself, for the request's header only."""
        return self._value

    def redact(self, text: str) -> str:
        """Replace the key in a text, plain or URL-quoted, by its variable's name."""
        if not self._value:
            return text
        shown = f"[key of ${self.variable}]"
        return text.replace(self._value, shown).replace(quote(self._value, safe=""), shown)

    def redact_reply(self, text: str) -> str:
        """Remove the key from a model's words, unless it is short enough to be a common word (`ollama`, `none`)."""
        if len(self._value) < LONG_ENOUGH_TO_BE_SECRET or self._value not in text:
            return text
        return self.redact(text)
