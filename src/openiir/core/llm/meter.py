"""Counting of calls, tokens and cost of model endpoints."""

from dataclasses import dataclass, field

from pydantic import Field

from openiir.core.llm.provider import Reply
from openiir.core.records import Record


class Prices(Record):
    """Prices per million tokens, in any one currency; 0 for a local model."""

    prompt: float = Field(default=0.0, ge=0.0)
    reply: float = Field(default=0.0, ge=0.0)
    embedding: float = Field(default=0.0, ge=0.0)

    def of(self, prompt_tokens: int, reply_tokens: int, embedded_tokens: int = 0) -> float:
        """Compute the cost of a number of tokens."""
        micro = prompt_tokens * self.prompt + reply_tokens * self.reply + embedded_tokens * self.embedding
        return micro / 1e6


@dataclass
class Meter:
    """Counter of calls and tokens so far; cost is computed from totals and so independent of order."""

    prices: Prices = field(default_factory=Prices)
    calls: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0
    embedded_tokens: int = 0

    @property
    def cost(self) -> float:
        """Cost so far, in the currency of the prices."""
        return self.prices.of(self.prompt_tokens, self.reply_tokens, self.embedded_tokens)

    def add(self, reply: Reply) -> None:
        """Count one reply."""
        self.calls += 1
        self.prompt_tokens += reply.prompt_tokens
        self.reply_tokens += reply.reply_tokens

    def add_embedding(self, tokens: int) -> None:
        """Count one call of an embeddings endpoint."""
        self.calls += 1
        self.embedded_tokens += tokens
