"""Prices of an endpoint's tokens."""

from pydantic import Field

from openiir.core.records import Record


class Prices(Record):
    """Prices per million tokens, in any one currency; 0 for a local model."""

    prompt: float = Field(default=0.0, ge=0.0)
    reply: float = Field(default=0.0, ge=0.0)
    cached: float | None = Field(default=None, ge=0.0)
    """Price of prompt tokens from the endpoint's cache; by default that of others."""
    reasoning: float | None = Field(default=None, ge=0.0)
    """Price of reply tokens of reasoning; by default that of others."""

    def of(self, prompt_tokens: int, reply_tokens: int, cached: int = 0, reasoning: int = 0) -> float:
        """Compute the cost of a number of tokens, of which some were `cached` or `reasoning`."""
        less = 0.0 if self.cached is None else cached * (self.cached - self.prompt)
        more = 0.0 if self.reasoning is None else reasoning * (self.reasoning - self.reply)
        return (prompt_tokens * self.prompt + less + reply_tokens * self.reply + more) / 1e6
