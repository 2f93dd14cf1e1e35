"""Settings of model endpoints, and connections to them."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, field_validator
from pydantic_core import PydanticCustomError

from openiir.core.errors import InputError
from openiir.core.llm.embeddings import EndpointEmbedder
from openiir.core.llm.formats import Structured
from openiir.core.llm.openai_client import LARGEST_ANSWER, OpenAIClient
from openiir.core.llm.pool import EndpointMember, EndpointPool
from openiir.core.llm.prices import Prices
from openiir.core.llm.provider import Reply, Request
from openiir.core.llm.shared_use import SharedUse, UsageStore
from openiir.core.records import RateLimits, Record, SpendingLimit
from openiir.core.transport import Patience, Secret


class Endpoint(Record):
    """Settings of an OpenAI-compatible endpoint; `url` alone is enough for a local one.

    The input of a validation error of type `secret` may be a key and must not be shown.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    name: str = Field(default="", max_length=60, pattern=r"^[\w .:/@-]*$")
    """Name in the records of runs; without one, several endpoints are recorded by their addresses."""
    url: str
    """Address where the API begins, such as http://localhost:11434/v1."""
    key_env: str | None = None
    """Environment variable that holds the API key; leave it out for a server that needs none."""
    timeout: float = Field(default=120.0, gt=0.0)
    """Seconds allowed for one try."""
    tries: int = Field(default=6, ge=1)
    first_wait: float = Field(default=0.5, ge=0.0)
    """Longest wait in seconds after the first failed try; it doubles with each further try."""
    patience: float = Field(default=600.0, ge=0.0)
    """Seconds allowed for all tries of one call together."""
    width: int = Field(default=8, ge=1)
    """Number of concurrent calls."""
    batch: int = Field(default=64, ge=1)
    """Number of texts per embeddings call."""
    largest: float = Field(default=LARGEST_ANSWER, gt=0.0)
    """Largest response body in MiB after decompression; reading stops there and the try counts as failed."""
    prices: Prices = Prices()
    structured: Structured = "auto"
    """Form in which the schema of a reply is sent: `schema`, `json` (any object), `example` (none, so that
    the prompt alone shows it), or the strictest that the endpoint takes."""
    requests_per_minute: int | None = Field(default=None, ge=1)
    """Most requests in any minute, of all runs on this machine together."""
    tokens_per_minute: int | None = Field(default=None, ge=1)
    """Most prompt and reply tokens in any minute, of all runs on this machine together."""
    budget: SpendingLimit | None = None
    """Most money that all runs on this machine together spend."""

    @property
    def account(self) -> str:
        """Name under which runs count what they use: endpoints with one address and key share it."""
        return " ".join(filter(None, (self.url, self.key_env)))

    @property
    def rate_limits(self) -> RateLimits:
        return RateLimits(self.requests_per_minute, self.tokens_per_minute)

    @property
    def shared_limits(self) -> tuple[str, ...]:
        """Limits that all runs on this machine keep together, in words; none by default."""
        rates = (("requests", self.requests_per_minute), ("tokens", self.tokens_per_minute))
        words = [f"{most:,} {name} a minute" for name, most in rates if most is not None]
        if self.budget is not None:
            per = "" if self.budget.per == "ever" else f" a {self.budget.per}"
            words.append(f"{self.budget.money:g} in money{per}")
        return tuple(words)

    @field_validator("url")
    @classmethod
    def _is_a_url(cls, url: str) -> str:
        if "@" in url or "?" in url:
            raise PydanticCustomError(
                "secret",
                "the endpoint's URL must not carry a user, password or query; put the key into an "
                "environment variable and name that variable as `key_env`",
            )
        if not _is_web_address(url):
            # What stands there instead may be a key.
            raise PydanticCustomError("secret", "the endpoint's URL must look like http://localhost:11434/v1")
        return url.rstrip("/")

    @field_validator("key_env")
    @classmethod
    def _is_a_name(cls, name: str | None) -> str | None:
        if name is not None and not (name.isidentifier() and name.isascii()):
            raise PydanticCustomError(
                "secret",
                "`key_env` is the name of an environment variable, such as OPENAI_API_KEY, and not the key "
                "itself",
            )
        return name


def _is_web_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _as_tables(value: Any) -> Any:
    """Normalise endpoint settings (one or a list, each a URL or a table) to a list of tables."""
    each = value if isinstance(value, (list, tuple)) else [value]
    return [{"url": one} if isinstance(one, str) else one for one in each]


def _check_equal_settings(endpoints: tuple[Endpoint, ...]) -> tuple[Endpoint, ...]:
    for key in ("tries", "first_wait", "patience", "batch", "prices"):
        if len({getattr(endpoint, key) for endpoint in endpoints}) > 1:
            raise ValueError(
                "endpoints of one list serve the same models, and a call may go to any of them: give "
                f"`{key}` the same value in each"
            )
    if len({endpoint.url for endpoint in endpoints}) < len(endpoints):
        raise ValueError("an endpoint stands in the list twice; take one out, or raise its `width`")
    return endpoints


Endpoints = Annotated[
    tuple[Endpoint, ...], BeforeValidator(_as_tables), AfterValidator(_check_equal_settings)
]
"""Type of endpoint settings: one endpoint or a list serving the same models, each a URL or a table."""


class Connection(AbstractAsyncContextManager["Connection"]):
    """Connection to one or several model endpoints: chat and embeddings with retries.

    Use it within one event loop, as `async with connect(endpoint) as models:`.
    """

    def __init__(
        self, endpoints: tuple[Endpoint, ...], tell: Callable[[str], None], usage: UsageStore | None
    ) -> None:
        first = endpoints[0]
        self._batch = first.batch
        patience = Patience(first.tries, first.first_wait, total=first.patience)
        self.pool = EndpointPool(
            [_pool_member(endpoint, tell, usage) for endpoint in endpoints], patience, tell
        )

    async def complete(self, request: Request) -> Reply:
        """Get a reply; raises EndpointError if none came within the allowed time and tries."""
        return await self.pool.complete(request)

    async def models(self) -> list[str]:
        """List the endpoint's model names, sorted; raises EndpointError."""
        return sorted(await self.contexts())

    async def contexts(self) -> dict[str, int | None]:
        """Return the context length by model, in tokens; None where the endpoint does not say."""
        where = self.pool.where
        return (await self.pool.call(OpenAIClient.contexts, "the list of its models", lambda: where))[1]

    def embedder(self, model: str) -> EndpointEmbedder:
        """Create the embedder of a model of this endpoint; wrap it in StoredEmbedder to cache vectors."""
        return EndpointEmbedder(self.pool, model, self._batch)

    async def aclose(self) -> None:
        """Close all HTTP connections."""
        for member in self.pool.members:
            if member.shared is not None:
                await member.shared.aclose()
            await member.wire.aclose()

    async def __aexit__(self, *error: object) -> None:
        await self.aclose()


def _pool_member(
    endpoint: Endpoint, tell: Callable[[str], None], usage: UsageStore | None
) -> EndpointMember[OpenAIClient]:
    key = read_api_key(endpoint.key_env)
    wire = OpenAIClient(
        endpoint.url,
        key,
        endpoint.timeout,
        endpoint.largest,
        endpoint.structured,
        lambda text: tell(f"endpoint {text}"),
    )
    shared = None
    if endpoint.shared_limits:
        if usage is None:
            raise ValueError("an endpoint with limits that runs share needs the file in which they count")
        import aiohttp  # noqa: F401  now, not between a request's turn and its sending

        limits = (endpoint.rate_limits, endpoint.budget, endpoint.prices)
        shared = SharedUse(endpoint.url, endpoint.account, *limits, usage, tell)
    return EndpointMember(endpoint.url, wire, endpoint.width, endpoint.name, shared)


def read_api_key(variable: str | None) -> Secret:
    """Read an API key from its environment variable; None gives none. Raises InputError for no key."""
    if variable is None:
        return Secret()
    otherwise = ", or take `key_env` out of the settings if this endpoint needs no key"
    key = Secret.read(variable, "the API key of an endpoint in the settings needs", otherwise)
    if not key.reveal().isascii() or " " in key.reveal():
        raise InputError(
            f"the environment variable {variable} holds characters that no API key has (spaces or letters "
            "beyond ASCII); export the key anew"
        )
    return key


def connect(
    *endpoints: Endpoint,
    tell: Callable[[str], None] = lambda text: None,
    usage: UsageStore | None = None,
) -> Connection:
    """Create a connection to one endpoint, or several serving the same models; nothing is sent yet.

    `tell` gets messages about waits and about endpoints that refuse schemas; `usage` counts what runs use
    together of endpoints with such limits. Raises InputError where a key's variable is empty.
    """
    return Connection(endpoints, tell, usage)
