"""Declaration of a system under test: a table in a study or in a file of its own."""

import shlex
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from openiir.core.records import Record
from openiir.core.systems import paths, ready, template
from openiir.core.systems.exchange import (
    EventName,
    Exchange,
    Method,
    Path,
    Paths,
    Seconds,
    Signal,
    check_template,
    check_url,
)
from openiir.core.systems.secrets import variables

ConnectorName = Literal["http", "websocket", "socketio", "stdio", "python"]

_BY_CONNECTORS = {
    ("http", "websocket", "socketio"): ("url", "headers", "tries", "backoff"),
    ("http",): ("method", "repeatable"),
    ("socketio",): ("event", "answer", "namespace"),
    ("websocket", "socketio", "stdio"): ("settle", "ignore"),
    ("stdio",): ("command", "folder", "variables"),
    ("python",): ("callable",),
    ("http", "websocket", "stdio"): ("format",),
}
_ONLY = {key: connectors for connectors, keys in _BY_CONNECTORS.items() for key in keys}
"""Keys that only some connectors support."""
_ALONE = {"http": ("url", "method"), "socketio": ("event",)}
"""Keys of opening and closing requests that only one connector supports."""
_NEEDED = {
    "http": "url",
    "websocket": "url",
    "socketio": "url",
    "stdio": "command",
    "python": "callable",
    "run": "run",
}
_SCHEMES = {"http": ("http", "https"), "websocket": ("ws", "wss"), "socketio": ("http", "https", "ws", "wss")}
_CREDENTIALS = {"authorization", "proxy-authorization", "x-api-key", "api-key", "cookie"}
RESERVED = ("session", "session_name")
"""Placeholders that the session itself fills in and requests cannot set."""


class SystemSpec(Record):
    """Declaration of a system under test: its address, its requests, and where values are in its answers.

    The docs page "Connect a system" explains every key with examples.
    """

    connector: ConnectorName
    url: str | None = None
    """Address of the system; placeholders in it are percent-encoded."""
    command: tuple[str, ...] | None = None
    """Program and arguments, started once per session without a shell; a text is split as a shell would."""
    folder: str | None = None
    """Folder in which the command starts, relative to where openiir was started."""
    variables: tuple[Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")], ...] = ()
    """Variables passed to the command beside PATH, HOME, LANG, TMPDIR, VIRTUAL_ENV and PYTHONPATH."""
    callable: str | None = None
    """`package.module:name` of a function, or of a class that is instantiated once per session."""
    method: Method = "POST"
    headers: dict[str, str] = {}
    """HTTP headers; `${NAME}` stands for the environment variable NAME, `{session}` for the session's id."""
    format: Literal["json", "text", "form"] = "json"
    """Encoding of requests; GET and DELETE put a table's entries into the query instead."""
    request: Any = None
    """Template of a turn's request; by default its values and `session`, for format text `{text}`."""
    response: Paths = ()
    """Path of the text in an answer; several are tried in order. `text` means the raw answer."""
    event: EventName = "message"
    """Name of the Socket.IO event that carries a turn."""
    answer: EventName = "message"
    """Name of the Socket.IO events that carry answers; all others are ignored."""
    namespace: str = Field(default="/", pattern=r"^/[^,]*$", max_length=200)
    """Socket.IO namespace to connect to."""
    settle: float = Field(default=0.0, ge=0, le=60)
    """Seconds of silence that end an answer of several messages (a list); 0: one message is the answer."""
    data: Paths | None = None
    """Path of the machine-readable part of the answer, the first that exists; by default all of it."""
    keep: dict[str, Path] = {}
    """Placeholders for later requests, each with the path of its value in a turn's answer."""
    open: Exchange | None = None
    close: Exchange | None = None
    end: Signal | None = None
    """How the system signals that the session is over."""
    ignore: Signal | None = None
    """Messages to skip because they are not answers, such as typing notices."""
    timeout: Seconds = 30.0
    """Seconds allowed for one exchange, connecting included."""
    tries: int = Field(default=3, ge=1, le=10)
    """Most attempts at a connection, and at a request that may be repeated."""
    backoff: float = Field(default=0.5, ge=0, le=60)
    """Seconds before the second try, doubled for each further one, up to 30."""
    repeatable: bool = False
    """Whether a repeated request does no harm; broken connections and status 5xx are then tried again."""

    @model_validator(mode="before")
    @classmethod
    def _expand_ready(cls, table: Any) -> Any:
        if not isinstance(table, dict):
            return table
        table = ready.resolve_ready(table)
        if "connector" not in table:
            names = ", ".join(ready.list_ready_names())
            raise ValueError(
                f"connector is missing; add it, or name a ready declaration (ready = one of {names})"
            )
        return table

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
                    f"{key} belongs to {_join_names(connectors)} and means nothing to {self.connector}; "
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
                check_url(exchange.url, _SCHEMES["http"])
        if self.url is not None:
            check_url(self.url, _SCHEMES[self.connector])
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
                    f"headers.{key} spells out a credential, and a study is hashed and exported; put it into "
                    "an "
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
        check_template("request", self.request)
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
                    f"closed = true has a meaning only under end, for {_join_names(_ONLY['ignore'])}; remove "
                    "it"
                )

    @property
    def paths(self) -> tuple[str, ...]:
        """Paths at which an answer of the system holds its text; by default the raw answer."""
        return self.response or (paths.RAW,)

    @property
    def placeholders(self) -> tuple[str, ...]:
        """Placeholder names in requests and addresses, in order of declaration, with repeats."""
        parts = (part for part in (self, self.open, self.close) if part)
        return tuple(name for part in parts for name in template.placeholders([part.url, part.request]))

    @property
    def label(self) -> str:
        """Name of the system in messages."""
        if self.connector == "stdio":
            return f"system {shlex.join(self.command or ())}"
        return f"system {self.url or self.callable}"


def _join_names(names: tuple[str, ...]) -> str:
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)


_EXAMPLES = {
    "url": 'such as url = "http://127.0.0.1:5000/chat"',
    "command": 'such as command = ["python", "-u", "bot.py"]',
    "callable": 'such as callable = "package.module:name"',
    "run": 'such as run = "bm25.run"',
}
