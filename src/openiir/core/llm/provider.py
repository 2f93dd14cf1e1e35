"""Protocol of language model providers: one method, with request and reply types."""

from dataclasses import dataclass, field
from typing import Any, Protocol

from pydantic import Field

from openiir.core.records import CallDetails, Message, Record


class Sampling(Record):
    """Sampling parameters; those that are None are not sent, so the endpoint's default applies."""

    temperature: float | None = Field(default=0.7, ge=0.0)
    top_p: float | None = Field(default=None, gt=0.0, le=1.0)
    max_tokens: int | None = Field(default=1024, ge=1)
    seed: int | None = None
    stop: tuple[str, ...] = ()
    extra: dict[str, Any] = {}
    """Further keys of the request body, such as `top_k` or `reasoning_effort`, if the endpoint knows them."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request to a language model: everything that determines the reply except endpoint and key."""

    model: str
    messages: tuple[Message, ...]
    sampling: Sampling = field(default_factory=Sampling)
    schema: dict[str, Any] | None = None
    """JSON schema of the reply; None for plain text."""
    schema_name: str = "reply"

    def plain(self) -> dict[str, Any]:
        """Convert the request to JSON types; the ledger hashes and stores its canonical JSON."""
        return {
            "model": self.model,
            "messages": [message.model_dump() for message in self.messages],
            "sampling": self.sampling.model_dump(mode="json"),
            "schema": self.schema,
            "schema_name": self.schema_name,
        }


@dataclass(frozen=True, slots=True)
class Reply:
    """A language model's reply with its token counts."""

    text: str
    model: str
    """Model name as reported by the endpoint, followed by its system fingerprint if given."""
    prompt_tokens: int
    reply_tokens: int
    reasoning: str = ""
    """Reasoning text before the reply, if the endpoint gave it; stored, but never parsed as the reply."""
    details: CallDetails = CallDetails()


class Provider(Protocol):
    """Interface that completes requests: a client, or a wrapper around another provider."""

    async def complete(self, request: Request) -> Reply:
        """Return the reply; raises EndpointError if there was none."""
        ...
