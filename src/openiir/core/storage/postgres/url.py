"""URL of a PostgreSQL database, whose password appears in no message."""

from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from openiir.core.errors import InputError
from openiir.core.transport import Secret, redact

SCHEMES = ("postgresql", "postgres")
_SECRET_KEYS = ("password", "sslpassword", "oauth_client_secret")
_SHOWN_KEYS = ("host", "port", "user", "dbname", "service", "sslmode")
EXAMPLE = "postgresql://USER@HOST:5432/DATABASE"


@dataclass(frozen=True)
class DatabaseUrl:
    """URL of a database, with its passwords apart."""

    shown: str
    """The URL without passwords, and without parameters that do not tell where the database is."""
    full: Secret
    """The URL as it was given."""
    passwords: tuple[Secret, ...] = ()

    def __str__(self) -> str:
        return self.shown

    def redact(self, text: object) -> str:
        """Take the passwords, and the URL as it was given, out of a message."""
        return redact(" ".join(str(text).split()), (self.full, *self.passwords))


def read_url(url: str) -> DatabaseUrl:
    """Read the URL of a PostgreSQL database; InputError for another one, which is not quoted."""
    try:
        parts = urlsplit(url)
        query = parse_qsl(parts.query, keep_blank_values=True)
        given = [parts.password or "", *(value for key, value in query if key in _SECRET_KEYS)]
    except ValueError:
        raise InputError(f"the URL of the database cannot be read; write it as {EXAMPLE}") from None
    if parts.scheme not in SCHEMES:
        raise InputError(f"a PostgreSQL database is named by its URL, such as {EXAMPLE}")
    if parts.fragment or "@" in parts.path + parts.query:  # what is taken for a path may be a password
        raise InputError(
            f"the URL of the database cannot be read; write it as {EXAMPLE}, with /, ?, # and @ in a name or "
            "password as %2F, %3F, %23 and %40"
        )
    user, at, host = parts.netloc.rpartition("@")
    shown = urlencode([(key, value) for key, value in query if key in _SHOWN_KEYS], safe="/:")
    netloc = f"{user.partition(':')[0]}{at}{host}"
    return DatabaseUrl(
        urlunsplit((parts.scheme, netloc, parts.path, shown, "")),
        Secret("URL", url),
        tuple(Secret("password", value) for one in given if one for value in {one, unquote(one)}),
    )


def read_settings_url(url: str) -> DatabaseUrl:
    """Read a URL from the settings, which hold no secret; InputError for one with a password."""
    found = read_url(url)
    if found.passwords:
        raise InputError(
            f"the URL holds a password, and settings hold none; write {found} and give the password by the "
            "environment variable PGPASSWORD or in ~/.pgpass"
        )
    return found
