"""Secrets in a declaration's headers (`${NAME}`), read from the environment and never shown."""

import json
import os
import re
from collections.abc import Iterator, Mapping
from urllib.parse import quote

from openiir.core.errors import InputError

_VARIABLE = re.compile(r"\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)\}")
_FILLED = re.compile(_VARIABLE.pattern + r"|\{session\}")
_SHORTEST = 4


def variables(text: str) -> Iterator[str]:
    """List the names of environment variables in a text."""
    yield from (m["name"] for m in _VARIABLE.finditer(text))


class DeclaredHeaders:
    """HTTP headers of a session with secrets filled in; `redact` removes the secrets from answers."""

    def __init__(self, headers: Mapping[str, str], session: str) -> None:
        """Fill in the variables; raises InputError for one that is unset, too short to redact, or unfit for a header."""
        named = {name for header in headers.values() for name in variables(header)}
        values = {name: _read(name) for name in sorted(named)}
        self.sent = {
            key: _FILLED.sub(lambda m: values[m["name"]] if m["name"] else session, header)
            for key, header in headers.items()
        }
        """Headers to send; they contain the secrets."""
        spelled = {
            form: f"${{{name}}}"
            for name, value in values.items()
            for form in (value, json.dumps(value)[1:-1], quote(value, safe=""))
        }
        self._spelled = sorted(spelled.items(), key=lambda pair: (-len(pair[0]), pair[0]))

    def redact(self, text: str) -> str:
        """Replace every secret in a text (plain, JSON-escaped or percent-encoded) by its `${NAME}`."""
        for value, name in self._spelled:
            text = text.replace(value, name)
        return text


def _read(name: str) -> str:
    value = os.environ.get(name, "").strip()
    if len(value) < _SHORTEST:
        state = "is not set" if not value else f"holds fewer than {_SHORTEST} characters"
        raise InputError(
            f"a header of the system's declaration needs the environment variable {name}, which {state}; "
            f"set it before you start (export {name}=...)"
        )
    if not value.isprintable():
        raise InputError(
            f"the environment variable {name} holds a line break or control character, which no header may; "
            "set it to the bare value"
        )
    return value
