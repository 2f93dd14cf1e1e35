"""The protocol of model providers: one method, with a request and its reply."""

from dataclasses import dataclass, field
from typing import Any, Protocol

from pydantic import Field

from openiir.core.records import Message, Record


class Sampling(Record):
    """Sampling parameters. None is not sent: the endpoint's own default holds."""

    temperature: float | None = Field(default=0.7, ge=0.0)
    top_p: float | None = Field(default=None, gt=0.0, le=1.0)
    max_tokens: int | None = Field(default=1024, ge=1)
    seed: int | None = None
    stop: tuple[str, ...] = ()
    extra: dict[str, Any] = {}
    """Further keys of the request's body that this endpoint knows, such as `top_k` or `reasoning_effort`."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request to a model: all that decides the reply except endpoint and key."""

    model: str
    messages: tuple[Message, ...]
    sampling: Sampling = field(default_factory=Sampling)
    schema: dict[str, Any] | None = None
    """The reply's JSON schema, where the reply is to be JSON."""
    schema_name: str = "reply"

    def plain(self) -> dict[str, Any]:
        """Convert the request to JSON types; the ledger hashes and keeps its canonical JSON."""
        return {
            "model": self.model,
            "messages": [message.model_dump() for message in self.messages],
            "sampling": self.sampling.model_dump(mode="json"),
            "schema": self.schema,
            "schema_name": self.schema_name,
        }


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's reply with its token counts."""

    text: str
    model: str
    """The model as the endpoint reported it, followed by its system fingerprint where it gave one."""
    prompt_tokens: int
    reply_tokens: int
    endpoint: str = ""
    """Which of several endpoints answered; empty where there is one alone."""
    reasoning: str = ""
    """What the model thought before its reply, where the endpoint gave it: kept, and never read as the reply."""


class Provider(Protocol):
    """Completes requests: a client, or a wrapper around another provider."""

    async def complete(self, request: Request) -> Reply:
        """The reply; raises EndpointError where none came."""
        ...
