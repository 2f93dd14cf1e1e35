"""One line of the settings, and the stack of providers that stands behind it."""

import asyncio
from types import TracebackType
from urllib.parse import urlsplit

from pydantic import ConfigDict, Field, field_validator
from pydantic_core import PydanticCustomError

from openiir.core.llm.embeddings import EndpointEmbedder
from openiir.core.llm.fuse import Blowing, Fuse, Fused
from openiir.core.llm.keys import Key
from openiir.core.llm.limited import Limited
from openiir.core.llm.openai_wire import OpenAIWire
from openiir.core.llm.priced import Meter, Priced, Prices
from openiir.core.llm.provider import Reply, Request
from openiir.core.llm.retrying import Patience, Retrying, persist
from openiir.core.records import Record


class Endpoint(Record):
    """Settings of an OpenAI-compatible endpoint; `url` alone is enough for a local one.

    A mistake of the type `secret` may have a key as its input: whoever tells of it must not show that.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    url: str
    """Where the API begins, such as http://localhost:11434/v1."""
    key_env: str | None = None
    """The environment variable that holds the API key; none for a server that asks for none."""
    timeout: float = Field(default=120.0, gt=0.0)
    """Seconds for one try."""
    tries: int = Field(default=6, ge=1)
    first_wait: float = Field(default=0.5, ge=0.0)
    """Seconds; the back-off after the first failed try is at most this and doubles from there."""
    patience: float = Field(default=600.0, ge=0.0)
    """Seconds over all tries of one call."""
    width: int = Field(default=8, ge=1)
    """Calls at a time."""
    batch: int = Field(default=64, ge=1)
    """Texts a call of the embeddings."""
    prices: Prices = Prices()

    @field_validator("url")
    @classmethod
    def _is_a_url(cls, url: str) -> str:
        if "@" in url or "?" in url:
            raise PydanticCustomError(
                "secret",
                "the endpoint's URL must not carry a user, password or query; put the key into an environment "
                "variable and name that variable as `key_env`",
            )
        if not _looks_right(url):
            # What stands there instead may be a key.
            raise PydanticCustomError("secret", "the endpoint's URL must look like http://localhost:11434/v1")
        return url.rstrip("/")

    @field_validator("key_env")
    @classmethod
    def _is_a_name(cls, name: str | None) -> str | None:
        if name is not None and not (name.isidentifier() and name.isascii()):
            raise PydanticCustomError(
                "secret",
                "`key_env` is the name of an environment variable, such as OPENAI_API_KEY, and not the key itself",
            )
        return name


def _looks_right(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


class Connection:
    """A provider behind its wrappers (counted, fused, retried, limited, wired), and the embedders beside it.

    Use it within one event loop, as `async with connect(endpoint) as models:`.
    """

    def __init__(self, endpoint: Endpoint, key: Key, patience: Patience) -> None:
        self.endpoint = endpoint
        self.meter = Meter(endpoint.prices)
        self.wire = OpenAIWire(endpoint.url, key, endpoint.timeout)
        self._patience = patience
        self._gate = asyncio.Semaphore(endpoint.width)
        fuse = Fuse()
        limited = Limited(Fused(self.wire, fuse), self._gate)
        self.provider = Priced(Blowing(Retrying(limited, patience, endpoint.url), fuse), self.meter)

    async def complete(self, request: Request) -> Reply:
        """A reply; raises EndpointError where none came in the time and tries allowed."""
        return await self.provider.complete(request)

    async def models(self) -> list[str]:
        """The names of the models the endpoint says it has, sorted; raises EndpointError."""
        asked = f"asked {self.endpoint.url} for the list of its models"
        return await persist(self.wire.models, asked, lambda: self.endpoint.url, self._patience)

    def embedder(self, model: str) -> EndpointEmbedder:
        """The endpoint's embeddings by this model; wrap it in Stored."""
        return EndpointEmbedder(self.wire, model, self._gate, self.meter, self._patience, self.endpoint.batch)

    async def aclose(self) -> None:
        """Close the connections."""
        await self.wire.aclose()

    async def __aenter__(self) -> "Connection":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def connect(endpoint: Endpoint) -> Connection:
    """The stack for an endpoint; nothing is sent yet. Raises InputError where the key's variable is empty."""
    patience = Patience(endpoint.tries, endpoint.first_wait, total=endpoint.patience)
    return Connection(endpoint, Key.from_environment(endpoint.key_env), patience)
