"""The forecast of a run: expected calls and tokens by kind of question, from a rehearsal and a pilot."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import fmean, stdev

from openiir.core.llm import Prices
from openiir.core.sums import int_sum
from openiir.runs.forecast.rehearsal import PARTS, Rehearsed

REPLY = "the reply"
UNSEEN = 3.0
"""How many times as long as expected the replies of a kind may be of which a pilot saw none."""
LEAST = 0.15
"""Least half-width of the range of the reply tokens ahead, as a share of them."""
ASSUMED = (
    "assumes that a model lets happen what the behaviour models do, writes as much as they do or as the "
    "example that its prompt shows, and repairs no reply; tokens are words x 4/3"
)


@dataclass
class Forecast:
    """Expected model calls by kind of question, and the tokens of their prompts and replies by part."""

    basis: str
    """What the forecast is based on, in words."""
    note: str = ""
    """What it assumes, in words."""
    calls: Counter[str] = field(default_factory=Counter)
    parts: dict[str, Counter[str]] = field(default_factory=dict)
    """Tokens by kind of question and by part of the prompts; the part REPLY counts the replies."""
    own: Counter[str] = field(default_factory=Counter)
    """Tokens by kind that begin a prompt as they began its asker's last prompt of the kind."""
    earlier: Counter[str] = field(default_factory=Counter)
    """Tokens by kind that begin a prompt as they began any earlier prompt of the run."""
    at_once: float = 1.0
    """Mean number of calls that the run has under way at a time, if the endpoint takes as many."""
    replies: tuple[int, int] | None = None
    """Range of the reply tokens; None where nothing says how far they spread."""
    seconds: tuple[float, float] | None = None
    """Range of the whole run's seconds at this machine's endpoint; None where nothing was timed."""

    def add(self, kind: str, part: str, tokens: int) -> None:
        """Add tokens to a part of the prompts, or to the replies, of a kind of question."""
        self.parts.setdefault(kind, Counter())[part] += tokens

    def prompt_tokens_of(self, kind: str) -> int:
        return int_sum(tokens for part, tokens in self.parts[kind].items() if part != REPLY)

    @property
    def prompt_tokens(self) -> int:
        return int_sum(map(self.prompt_tokens_of, self.parts))

    @property
    def reply_tokens(self) -> int:
        return int_sum(parts[REPLY] for parts in self.parts.values())

    def cost(self, prices: Prices) -> float:
        return prices.of(self.prompt_tokens, self.reply_tokens)


def forecast_rehearsed(rehearsed: Sequence[Rehearsed]) -> Forecast:
    """Forecast from a rehearsal alone: a call a question, replies as offline or as the example if longer."""
    forecast = Forecast("a rehearsal with offline answers", ASSUMED, at_once=_at_once(rehearsed))
    for kind, some in _by_kind(rehearsed).items():
        _add_prompts(forecast, kind, some, _Rates(1.0, 1.0))
        forecast.add(kind, REPLY, _offline_replies(some))
    return forecast


def forecast_piloted(rehearsals: Sequence[Sequence[Rehearsed]], basis: str) -> Forecast:
    """Forecast from rehearsals that begin with a pilot's recorded answers: their means, and how they differ.

    Recorded questions count with the calls and tokens that they took. For others of a kind, calls a question
    (repairs), prompt tokens a word and reply tokens a question are those of the recorded ones; for kinds of
    which none is recorded, prompt tokens a word are those of all kinds, and the rest as without a pilot.
    """
    each = [_forecast_rest(rehearsed) for rehearsed in rehearsals]
    forecast = Forecast(basis, at_once=fmean(map(_at_once, rehearsals)))
    unseen = sorted({kind for one in each for kind in one.unseen})
    if unseen:
        forecast.note = f"the pilot did not ask, so counted as without one: {', '.join(unseen)}"
    for one in each:
        forecast.calls += one.forecast.calls
        forecast.own += one.forecast.own
        forecast.earlier += one.forecast.earlier
        for kind, parts in one.forecast.parts.items():
            forecast.parts[kind] = forecast.parts.get(kind, Counter()) + parts
    for total in (forecast.calls, forecast.own, forecast.earlier, *forecast.parts.values()):
        for key in total:
            total[key] = round(total[key] / len(each))
    totals = [one.forecast.reply_tokens for one in each]
    differ = stdev(totals) * math.sqrt(1 + 1 / len(each)) if len(each) > 1 else 0.0
    came = int_sum(one.reply_tokens for one in rehearsals[0] if one.recorded)
    error = math.hypot(differ, fmean(one.error for one in each))
    wide = max(2.0 * error, LEAST * (forecast.reply_tokens - came))
    unknown = fmean(one.unknown for one in each)
    expected = forecast.reply_tokens
    forecast.replies = max(0, round(expected - wide)), round(expected + wide + (UNSEEN - 1.0) * unknown)
    return forecast


@dataclass(frozen=True)
class _Rest:
    """The forecast by one rehearsal after a pilot."""

    forecast: Forecast
    unseen: tuple[str, ...]
    """Kinds of which the pilot asked none."""
    error: float
    """Standard error of the reply tokens of the other kinds."""
    unknown: int
    """Reply tokens of the kinds unseen."""


def _forecast_rest(rehearsed: Sequence[Rehearsed]) -> _Rest:
    known = _by_kind(one for one in rehearsed if one.recorded)
    ahead = _by_kind(one for one in rehearsed if not one.recorded)
    forecast, errors = Forecast(""), []
    overall = _Rates.of([one for some in known.values() for one in some], _Rates(1.0, 1.0), 0)
    for kind in sorted({*known, *ahead}):
        seen, coming = known.get(kind, []), ahead.get(kind, [])
        if seen:
            taken = [one.reply_tokens for one in seen]
            _add_prompts(forecast, kind, seen, _Rates.of(seen, overall, 0))
            _add_prompts(forecast, kind, coming, _Rates.of(seen, overall, 1))
            forecast.add(kind, REPLY, int_sum(taken) + round(fmean(taken) * len(coming)))
            errors.append(_standard_error(taken, len(coming)))
        else:
            _add_prompts(forecast, kind, coming, _Rates(1.0, overall.tokens))
            forecast.add(kind, REPLY, _offline_replies(coming))
    unseen = tuple(sorted(ahead.keys() - known.keys()))
    return _Rest(
        forecast, unseen, math.hypot(*errors), int_sum(forecast.parts[kind][REPLY] for kind in unseen)
    )


@dataclass(frozen=True)
class _Rates:
    """What questions of a pilot took: calls a question, and prompt tokens of a call a rehearsed token."""

    calls: float
    tokens: float

    @classmethod
    def of(cls, seen: Sequence[Rehearsed], usual: "_Rates", weight: int) -> "_Rates":
        """Compute the rates of questions together with `weight` more as is usual, so that few say little."""
        asked = len(seen) + weight
        if not asked:
            return usual
        calls = int_sum(one.attempts for one in seen)
        sent = math.fsum(_words(one) * one.attempts for one in seen)
        took = int_sum(one.prompt_tokens for one in seen)
        own = took / sent if sent else usual.tokens
        return cls((calls + weight * usual.calls) / asked, (len(seen) * own + weight * usual.tokens) / asked)


def _add_prompts(forecast: Forecast, kind: str, some: Sequence[Rehearsed], rates: _Rates) -> None:
    """Add the calls and prompts of questions; a repair's prompt begins as the one that it repairs."""
    forecast.calls[kind] += round(rates.calls * len(some))
    for n, part in enumerate(PARTS):
        tokens = int_sum(one.parts[n] for one in some)
        forecast.add(kind, part, round(rates.calls * rates.tokens * tokens))
    repaired = (rates.calls - 1.0) * int_sum(map(_words, some))
    forecast.own[kind] += round(rates.tokens * (int_sum(one.own for one in some) + repaired))
    forecast.earlier[kind] += round(rates.tokens * (int_sum(one.earlier for one in some) + repaired))


def _words(one: Rehearsed) -> int:
    return int_sum(one.parts)


def _offline_replies(some: Sequence[Rehearsed]) -> int:
    return int_sum(max(one.reply_tokens, one.example) for one in some)


def _standard_error(taken: Sequence[int], coming: int) -> float:
    """Standard error of the sum of further values like these; where there is one, of its own size."""
    sd = stdev(taken) if len(taken) > 1 else float(taken[0])
    return sd * math.sqrt(coming**2 / len(taken) + coming)


def _at_once(rehearsed: Sequence[Rehearsed]) -> float:
    """Mean questions a turn, where lanes take turns side by side and a step waits for its longest lane."""
    turns: dict[int, int] = {}
    for one in rehearsed:
        turns[one.step] = max(one.turn, turns.get(one.step, 0))
    return len(rehearsed) / max(1, int_sum(turns.values()))


def _by_kind(some: Iterable[Rehearsed]) -> dict[str, list[Rehearsed]]:
    found: defaultdict[str, list[Rehearsed]] = defaultdict(list)
    for one in some:
        found[one.kind].append(one)
    return dict(found)
