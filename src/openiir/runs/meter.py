"""Count the calls, tokens and money that a run uses, and stop the run at its limits."""

from dataclasses import dataclass, field

from openiir.core.errors import RunStopped
from openiir.core.llm import Meter
from openiir.core.records import Call
from openiir.core.systems.own_code import OwnCodeTimes
from openiir.runs.settings import RunLimits


@dataclass
class Spending:
    """Calls, tokens and money that a run has used (before a resume, too), with its limits."""

    meter: Meter = field(default_factory=Meter)
    limits: RunLimits = RunLimits()
    under_way: int = 0
    own: OwnCodeTimes = field(default_factory=OwnCodeTimes)

    def before_call(self) -> None:
        """Reserve a call before it is sent; raises RunStopped where a limit is reached."""
        used = {
            "calls": self.meter.calls + self.under_way,
            "tokens": self.meter.prompt_tokens + self.meter.reply_tokens,
            "money": self.meter.cost,
        }
        for name, amount in used.items():
            limit = getattr(self.limits, name)
            if limit is not None and amount >= limit:
                raise RunStopped(
                    f"the run has used {amount:g} of its limit of {limit:g} {name}; "
                    f"raise limits.{name} in the settings and resume"
                )
        self.under_way += 1

    def after_call(self, call: Call) -> None:
        """Count a call that was answered, with its tokens."""
        self.under_way -= 1
        self.meter.calls += 1
        self.meter.prompt_tokens += call.prompt_tokens
        self.meter.reply_tokens += call.reply_tokens

    def __str__(self) -> str:
        """Describe calls, tokens, money and slow own code for a line of progress; empty without any."""
        m = self.meter
        money = f", {m.cost:.4f} spent" if m.cost else ""
        used = f"{m.calls:,} calls, {m.prompt_tokens:,} + {m.reply_tokens:,} tokens{money}" if m.calls else ""
        return "; ".join(filter(None, (used, str(self.own))))
