"""How a system under test is declared: one table, the same in a study and in a file of its own."""

import math
import shlex
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, field_validator, model_validator

from openiir.core.records import Record
from openiir.core.systems import paths, ready, template
from openiir.core.systems.secrets import variables

ConnectorName = Literal["http", "websocket", "socketio", "stdio", "python"]

_ONLY: dict[str, tuple[str, ...]] = {
    "url": ("http", "websocket", "socketio"),
    "headers": ("http", "websocket", "socketio"),
    "tries": ("http", "websocket", "socketio"),
    "backoff": ("http", "websocket", "socketio"),
    "method": ("http",),
    "repeatable": ("http",),
    "event": ("socketio",),
    "answer": ("socketio",),
    "settle": ("websocket", "socketio"),
    "command": ("stdio",),
    "folder": ("stdio",),
    "callable": ("python",),
    "format": ("http", "websocket", "stdio"),
    "ignore": ("websocket", "socketio", "stdio"),
}
_ALONE = {"http": ("url", "method"), "socketio": ("event",)}
"""What an opening or closing request may have of its own, by the one connector that knows it."""
_NEEDED = {"http": "url", "websocket": "url", "socketio": "url", "stdio": "command", "python": "callable"}
_SCHEMES = {"http": ("http", "https"), "websocket": ("ws", "wss"), "socketio": ("http", "https", "ws", "wss")}
_CREDENTIALS = {"authorization", "proxy-authorization", "x-api-key", "api-key", "cookie"}
RESERVED = ("session", "session_name")
"""The placeholders that a session fills in itself, whatever the request holds."""


def _as_paths(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


def _path(value: str) -> str:
    if value != paths.RAW:
        paths.steps(value)
    return value


Path = Annotated[str, Field(min_length=1, max_length=500), AfterValidator(_path)]
Paths = Annotated[tuple[Path, ...], BeforeValidator(_as_paths)]
Seconds = Annotated[float, Field(gt=0, le=3_600)]
EventName = Annotated[str, Field(min_length=1, max_length=200)]
Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]


class Signal(Record):
    """How an answer is recognised; any one of what is given suffices."""

    path: Path | None = None
    """Where the answer says so. Without `value`, anything there but false, null, 0 and emptiness counts."""
    value: Any = None
    """What must stand at `path`."""
    text: str | None = Field(default=None, min_length=1)
    """What must occur in the answer's text, capitals and all."""
    closed: bool = False
    """The system says it by closing the connection, or by exiting with code 0 (all but HTTP and Python)."""

    @model_validator(mode="after")
    def _says_something(self) -> "Signal":
        if self.value is not None and self.path is None:
            raise ValueError("value needs a path that says where it stands")
        if self.path is None and self.text is None and not self.closed:
            raise ValueError("give path (with or without value), text, or closed = true")
        return self


class Exchange(Record):
    """An opening or closing request, which differs from a turn only in what is given here."""

    request: Any = None
    """The template of what is sent. Nothing is sent without one, save by HTTP, where an empty body is."""
    url: str | None = None
    method: Method | None = None
    event: EventName | None = None
    """The event's name (Socket.IO), where it differs from a turn's; it goes out without data if there is no request."""
    reply: bool = True
    """Whether the system answers it. With no request: whether the system speaks first (all but HTTP and Python)."""
    response: Paths | None = None
    """Where the answer's text stands, where that differs from a turn's answer; an empty list: it holds none."""
    keep: dict[str, Path] = {}
    """Placeholders for later requests, each with the path of its value (a session id the system gives)."""

    @field_validator("request")
    @classmethod
    def _writable(cls, value: Any) -> Any:
        _check_template("request", value)
        return value


class SystemSpec(Record):
    """A system under test, by declaration: where it is, what it is sent, and where its answer says what.

    The docs page "Connect a system" explains every key with examples. Addresses on this machine and in private
    networks are allowed, since a system under test usually runs beside the study.
    """

    connector: ConnectorName
    url: str | None = None
    """May hold placeholders, which are percent-encoded."""
    command: tuple[str, ...] | None = None
    """A program and its arguments, started once a session, without a shell. A text is split as a shell would."""
    folder: str | None = None
    """Where the command is started; relative to where openiir was."""
    callable: str | None = None
    """`package.module:name` of a function, or of a class that is made once a session."""
    method: Method = "POST"
    headers: dict[str, str] = {}
    """`${NAME}` is the environment variable NAME, and `{session}` the session's id."""
    format: Literal["json", "text", "form"] = "json"
    """How requests are written. GET and DELETE put a table's entries into the query instead."""
    request: Any = None
    """The template of a turn. Without one: the request as asked plus `session` (`{text}` for format text)."""
    response: Paths = ()
    """Where an answer's text stands; several are tried in order. `text` is the raw answer."""
    event: EventName = "message"
    """The name of the event that carries a turn."""
    answer: EventName = "message"
    """The name of the events that carry answers; all others are passed over."""
    settle: float = Field(default=0.0, ge=0, le=60)
    """Seconds of silence after which a turn's messages count as one answer, their list; 0: one message is one."""
    data: Paths | None = None
    """Where the part of the answer stands that programs read (the first that exists); the whole answer by default."""
    keep: dict[str, Path] = {}
    """Placeholders for later requests, each with the path of its value in a turn's answer."""
    open: Exchange | None = None
    close: Exchange | None = None
    end: Signal | None = None
    """How the system says that the session is over."""
    ignore: Signal | None = None
    """Messages that are no answers and are passed over, such as typing notices."""
    timeout: Seconds = 30.0
    """Seconds for one exchange, connecting included."""
    tries: int = Field(default=3, ge=1, le=10)
    """How often a connection is attempted. An answer of any kind, an error page included, is never asked again."""
    backoff: float = Field(default=0.5, ge=0, le=60)
    """Seconds before the second try; doubled for each one after it, up to 30."""
    repeatable: bool = False
    """The system may hear a request twice without harm, so a connection that drops midway is tried again too."""

    @model_validator(mode="before")
    @classmethod
    def _resolved(cls, table: Any) -> Any:
        return ready.resolved(table) if isinstance(table, dict) else table

    @field_validator("command", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        return tuple(shlex.split(value)) if isinstance(value, str) else value

    @model_validator(mode="after")
    def _possible(self) -> "SystemSpec":
        self._check_keys()
        if self.settle >= self.timeout:
            raise ValueError(
                f"settle is {self.settle:g} s and timeout {self.timeout:g}; a turn needs both to fit"
            )
        self._check_address()
        self._check_headers()
        self._check_requests()
        self._check_paths()
        return self

    def _check_keys(self) -> None:
        for key, connectors in _ONLY.items():
            default = type(self).model_fields[key].default
            if self.connector not in connectors and getattr(self, key) != default:
                raise ValueError(
                    f"{key} belongs to {_listed(connectors)} and means nothing to {self.connector}; "
                    "remove it or choose another connector"
                )
        needed = _NEEDED[self.connector]
        if not getattr(self, needed):
            raise ValueError(f"connector {self.connector} needs {needed}; {_EXAMPLES[needed]}")

    def _check_address(self) -> None:
        for exchange in (self.open, self.close):
            for connector, keys in _ALONE.items():
                if exchange and self.connector != connector and any(getattr(exchange, key) for key in keys):
                    raise ValueError(
                        f"{' and '.join(keys)} in open and close belong to {connector}; remove them"
                    )
            if exchange and exchange.url:
                _check_url(exchange.url, _SCHEMES["http"])
        if self.url is not None:
            _check_url(self.url, _SCHEMES[self.connector])
            for name in template.placeholders(self.url) if self.connector != "http" else ():
                if name not in RESERVED:
                    raise ValueError(f"url asks for {{{name}}}; a connection knows but {', '.join(RESERVED)}")
        if self.callable is not None:
            module, _, name = self.callable.partition(":")
            if not all(part.isidentifier() for part in (*module.split("."), *name.split("."))):
                raise ValueError(f"callable {self.callable!r} is not of the form package.module:name")

    def _check_headers(self) -> None:
        for key, value in self.headers.items():
            if key.lower() in _CREDENTIALS and not any(variables(value)):
                raise ValueError(
                    f"headers.{key} spells out a credential, and a study is hashed and exported; put it into an "
                    f'environment variable and write {key} = "${{NAME}}"'
                )
            if not value.replace("\t", " ").isprintable() or not key.isprintable():
                raise ValueError(f"headers.{key} holds a line break or control character; remove it")
            for name in template.placeholders(value.replace("${", "")):
                if name != "session":
                    raise ValueError(
                        f"headers.{key} asks for {{{name}}}; only {{session}} and ${{NAME}} stand there"
                    )

    def _check_requests(self) -> None:
        _check_template("request", self.request)
        if self.format == "form" and self.connector != "http":
            raise ValueError(f'format "form" belongs to http; {self.connector} takes "json" or "text"')
        self._check_shape("request", self.request, self.method)
        for key, exchange in (("open", self.open), ("close", self.close)):
            if exchange:
                self._check_shape(f"{key}.request", exchange.request, exchange.method or self.method)
                self._check_known(key, exchange)

    def _check_known(self, key: str, exchange: Exchange) -> None:
        known = [*RESERVED, "history", "messages"]
        if exchange is self.close:
            known += [*self.keep, *(self.open.keep if self.open else {})]
        for name in template.placeholders([exchange.url, exchange.request]):
            if name not in known:
                raise ValueError(f"{key} asks for {{{name}}}; known there: {', '.join(known)}")

    def _check_shape(self, key: str, request: Any, method: str) -> None:
        in_query = self.connector == "http" and method in ("GET", "DELETE")
        if request is None or self.connector == "python":
            return
        if in_query or self.format == "form":
            if not isinstance(request, dict):
                raise ValueError(f"{key} must be a table, whose entries become the query's or form's fields")
        elif self.format == "text" and not isinstance(request, str):
            raise ValueError(f'{key} must be a text such as "{{text}}" when format is "text"')

    def _check_paths(self) -> None:
        if not self.response and self.connector != "python" and self.format != "text":
            raise ValueError(
                'response is missing; say where an answer\'s text stands, such as response = "message.text", '
                'or response = "text" for the whole answer as it comes'
            )
        taken = [k for k in (*self.keep, *(self.open.keep if self.open else {})) if k in RESERVED]
        if taken:
            raise ValueError(f"keep.{taken[0]} would replace a placeholder that has a meaning; rename it")
        for signal in (self.end, self.ignore):
            may = signal is self.end and self.connector in _ONLY["ignore"]
            if signal and signal.closed and not may:
                raise ValueError(
                    f"closed = true has a meaning only under end, for {_listed(_ONLY['ignore'])}; remove it"
                )

    @property
    def paths(self) -> tuple[str, ...]:
        """Where a turn's text is looked for; the raw answer where nothing was declared."""
        return self.response or (paths.RAW,)

    @property
    def placeholders(self) -> tuple[str, ...]:
        """The names that its requests and addresses ask for, in the order of the declaration, repeats included."""
        parts: list[SystemSpec | Exchange] = [
            self,
            *(exchange for exchange in (self.open, self.close) if exchange),
        ]
        return tuple(name for part in parts for name in template.placeholders([part.url, part.request]))

    @property
    def label(self) -> str:
        """The system as messages name it."""
        if self.connector == "stdio":
            return f"system {shlex.join(self.command or ())}"
        return f"system {self.url or self.callable}"


def _listed(names: tuple[str, ...]) -> str:
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)


_EXAMPLES = {
    "url": 'such as url = "http://127.0.0.1:5000/chat"',
    "command": 'such as command = ["python", "-u", "bot.py"]',
    "callable": 'such as callable = "package.module:name"',
}


def _check_url(url: str, schemes: tuple[str, ...]) -> None:
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


def _check_template(key: str, request: Any) -> None:
    if isinstance(request, str):
        if any(variables(request)):
            raise ValueError(f"{key} names an environment variable with ${{...}}; only headers may")
    elif isinstance(request, dict):
        for name, value in request.items():
            _check_template(f"{key}.{name}", value)
    elif isinstance(request, list | tuple):
        for value in request:
            _check_template(key, value)
    elif isinstance(request, float) and not math.isfinite(request):
        raise ValueError(f"{key} holds {request}, which has no JSON form; write it as a text")
    elif not isinstance(request, int | float | bool | None):
        raise ValueError(
            f"{key} holds a {type(request).__name__}, which has no JSON form; write it as a text"
        )
