"""Parts of declarations: paths, signals, and requests that open and close a session."""

import math
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, field_validator, model_validator

from openiir.core.records import Record
from openiir.core.systems import paths
from openiir.core.systems.secrets import variables


def _as_paths(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


def _path(value: str) -> str:
    if value != paths.RAW:
        paths.parse_path(value)
    return value


Path = Annotated[str, Field(min_length=1, max_length=500), AfterValidator(_path)]
Paths = Annotated[tuple[Path, ...], BeforeValidator(_as_paths)]
Seconds = Annotated[float, Field(gt=0, le=3_600)]
EventName = Annotated[str, Field(min_length=1, max_length=200)]
Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]


class Signal(Record):
    """Conditions on a system's answer, any of which raises a signal such as the dialogue's end."""

    path: Path | None = None
    """Path of a value in the answer; without `value`, any but false, null, 0 and empty values counts."""
    value: Any = None
    """Value that `path` must have."""
    text: str | None = Field(default=None, min_length=1)
    """Text that the answer must contain, case-sensitive."""
    closed: bool = False
    """Whether closing the connection, or exiting with code 0, is the signal (not for HTTP and Python)."""

    @model_validator(mode="after")
    def _says_something(self) -> "Signal":
        if self.value is not None and self.path is None:
            raise ValueError("value needs a path that says where it stands")
        if self.path is None and self.text is None and not self.closed:
            raise ValueError("give path (with or without value), text, or closed = true")
        return self


class Exchange(Record):
    """Opening or closing request of a session; url, method and response path default to a turn's."""

    request: Any = None
    """Template of the request; without one nothing is sent, except an empty body by HTTP."""
    url: str | None = None
    method: Method | None = None
    event: EventName | None = None
    """Socket.IO event name, if it differs from a turn's; without a request it is sent without data."""
    reply: bool = True
    """Whether the system answers; with no request, whether it speaks first (not for HTTP and Python)."""
    response: Paths | None = None
    """Path of the answer's text, if it differs from a turn's; an empty list means that there is no text."""
    keep: dict[str, Path] = {}
    """Placeholders for later requests with the paths of their values, such as a session id."""

    @field_validator("request")
    @classmethod
    def _writable(cls, value: Any) -> Any:
        check_template("request", value)
        return value


def check_url(url: str, schemes: tuple[str, ...]) -> None:
    """Raise ValueError unless a URL has one of the schemes and contains no credentials."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as exc:
        raise ValueError(f"url {url!r} is no address ({exc})") from None
    if parts.scheme not in schemes or not host:
        raise ValueError(f"url {url!r} does not begin with {' or '.join(f'{s}://HOST' for s in schemes)}")
    if "@" in parts.netloc or "{" in parts.netloc:
        raise ValueError(
            "url holds a user name, password or placeholder before its path; "
            "put credentials into headers, as ${NAME}"
        )


def check_template(key: str, request: Any) -> None:
    """Raise ValueError for a template that has no JSON form or names a secret."""
    if isinstance(request, str):
        if any(variables(request)):
            raise ValueError(f"{key} names an environment variable with ${{...}}; only headers may")
    elif isinstance(request, dict):
        for name, value in request.items():
            check_template(f"{key}.{name}", value)
    elif isinstance(request, list | tuple):
        for value in request:
            check_template(key, value)
    elif isinstance(request, float) and not math.isfinite(request):
        raise ValueError(f"{key} holds {request}, which has no JSON form; write it as a text")
    elif not isinstance(request, int | float | bool | None):
        raise ValueError(
            f"{key} holds a {type(request).__name__}, which has no JSON form; write it as a text"
        )
