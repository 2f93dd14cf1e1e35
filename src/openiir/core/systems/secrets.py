"""Secrets in a declaration's headers (`${NAME}`), read from the environment and never shown."""

import re
from collections.abc import Iterator, Mapping

from openiir.core.transport import Secret, redact

_VARIABLE = re.compile(r"\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)\}")
_FILLED = re.compile(_VARIABLE.pattern + r"|\{session\}")
_SHORTEST = 4


def variables(text: str) -> Iterator[str]:
    """List the environment variables that a text refers to as `${NAME}`."""
    yield from (m["name"] for m in _VARIABLE.finditer(text))


class DeclaredHeaders:
    """HTTP headers of a session with secrets filled in; `redact` removes the secrets from answers."""

    def __init__(self, headers: Mapping[str, str], session: str) -> None:
        """Fill in the variables; raises InputError for one that is unset, too short or unfit for a header."""
        named = {name for header in headers.values() for name in variables(header)}
        needed = "a header of the system's declaration needs"
        self._secrets = {name: Secret.read(name, needed, shortest=_SHORTEST) for name in sorted(named)}
        self.sent = {
            key: _FILLED.sub(lambda m: self._secrets[m["name"]].reveal() if m["name"] else session, header)
            for key, header in headers.items()
        }
        """Headers to send; they contain the secrets."""

    def redact(self, text: str) -> str:
        """Replace every secret in a text (plain, JSON-escaped or percent-encoded) by its `${NAME}`."""
        return redact(text, self._secrets.values())
