"""Write a forecast as lines of text."""

from collections import Counter
from collections.abc import Iterator

from openiir.core.llm import Prices
from openiir.runs.forecast.expected import Forecast


def forecast_lines(forecast: Forecast, prices: Prices) -> Iterator[str]:
    """Write a forecast: the totals, what it assumes, tokens a call by kind, and what prefix caches save."""
    calls = ", ".join(f"{n:,} {kind}" for kind, n in sorted(forecast.calls.items()))
    money = forecast.cost(prices)
    cost = f", about {money:.4f} in money" if money else ""
    replies = _range(forecast.replies) if forecast.replies else f"{forecast.reply_tokens:,}"
    yield (
        f"forecast by {forecast.basis}: {forecast.calls.total():,} calls ({calls}), "
        f"{forecast.prompt_tokens:,} prompt and {replies} reply tokens{cost}"
    )
    if forecast.note:
        yield f"  {forecast.note}"
    if forecast.seconds:
        low, high = forecast.seconds
        yield f"  {_range((round(low), round(high)))} seconds for the whole run at the pilot's pace"
    for kind, parts in sorted(forecast.parts.items()):
        each = ", ".join(
            f"{tokens / forecast.calls[kind]:,.0f} {part}" for part, tokens in parts.items() if tokens
        )
        yield f"  {kind}, tokens a call: {each}"
    if forecast.earlier:
        yield f"  on average {forecast.at_once:,.1f} calls at a time, if the endpoint takes as many"
        own = _shares(forecast, forecast.own)
        yield f"  prompt tokens that begin as the asker's last prompt of the kind did: {own}"
        yield f"  prompt tokens that begin as any earlier prompt did: {_shares(forecast, forecast.earlier)}"


def _shares(forecast: Forecast, shares: Counter[str]) -> str:
    """Write shares of the prompt tokens, in total and by kind."""
    by_kind = {kind: forecast.prompt_tokens_of(kind) for kind in sorted(shares)}
    each = ", ".join(f"{kind} {shares[kind] / of:.0%}" for kind, of in by_kind.items() if of)
    return f"{shares.total() / max(1, forecast.prompt_tokens):.0%} ({each})"


def _range(of: tuple[int, int]) -> str:
    low, high = of
    return f"{low:,} to {high:,}"
