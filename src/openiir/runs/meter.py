"""Count the calls, tokens and money that a run uses, and stop the run at its limits."""

from dataclasses import dataclass, field

from openiir.core.errors import RunStopped
from openiir.core.llm import Prices
from openiir.core.records import Call, CallDetails
from openiir.core.systems.own_code import OwnCodeTimes
from openiir.runs.settings import RunLimits


@dataclass
class Spending:
    """Calls, tokens and money that a run has used (before a resume, too), with its limits."""

    limits: RunLimits = RunLimits()
    prices: Prices = Prices()
    calls: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0
    cached_tokens: int = 0
    """Part of the prompt tokens that endpoints had in their caches."""
    reasoning_tokens: int = 0
    """Part of the reply tokens that is reasoning."""
    under_way: int = 0
    own: OwnCodeTimes = field(default_factory=OwnCodeTimes)

    @property
    def money(self) -> float:
        """Cost so far, in the currency of the prices, of totals and so independent of the calls' order."""
        return self.prices.of(
            self.prompt_tokens, self.reply_tokens, self.cached_tokens, self.reasoning_tokens
        )

    def before_call(self) -> None:
        """Reserve a call before it is sent; raises RunStopped where a limit is reached."""
        used = {
            "calls": self.calls + self.under_way,
            "tokens": self.prompt_tokens + self.reply_tokens,
            "money": self.money,
        }
        for name, amount in used.items():
            limit = getattr(self.limits, name)
            if limit is not None and amount >= limit:
                raise RunStopped(
                    f"the run has used {amount:g} of its limit of {limit:g} {name}; "
                    f"raise limits.{name} in the settings and resume"
                )
        self.under_way += 1

    def after_call(self, call: Call, details: CallDetails | None) -> None:
        """Count a call that was answered, with its tokens."""
        self.under_way -= 1
        self.calls += 1
        self.prompt_tokens += call.prompt_tokens
        self.reply_tokens += call.reply_tokens
        if details is not None:
            self.cached_tokens += details.cached_tokens
            self.reasoning_tokens += details.reasoning_tokens

    def __str__(self) -> str:
        """Describe calls, tokens, money and slow own code for a line of progress; empty without any."""
        money = f", {self.money:.4f} spent" if self.money else ""
        tokens = f"{self.prompt_tokens:,} + {self.reply_tokens:,} tokens{money}"
        used = f"{self.calls:,} calls, {tokens}" if self.calls else ""
        return "; ".join(filter(None, (used, str(self.own))))
