"""A user's beliefs, a page and how people read it, in words: what a model reads where the crowd reads numbers."""

import math
from bisect import bisect
from collections.abc import Callable, Sequence
from typing import Protocol

from openiir.kit.beliefs import BeliefRule
from openiir.kit.clicks import ClickModel
from openiir.plugin.arguments import tokens

_FIRMNESS = (0.1, 0.4, 0.75)
_VIEWS = ("undecided about", "leaning {} ", "clearly {}", "firmly {}")
_QUALITY = (-0.5, -0.15, 0.15, 0.5)
_CARE = ("poor", "rather poor", "ordinary", "good", "very good")
_LISTED = 10
"""Positions whose chance of being looked at is written out."""
STEADY = 0.05
"""Changes of belief below this are none worth speaking of."""


def view(issue: str, belief: float) -> str:
    """Where somebody stands on an issue."""
    side = "for" if belief > 0 else "against"
    return f"{_VIEWS[bisect(_FIRMNESS, abs(belief))].format(side).strip()} {issue}"


def facts(topics: Sequence[str], theta: Sequence[float], valence: float, quality: float) -> str:
    """An item's numbers, with words for them."""
    mix = sorted(zip(topics, theta, strict=True), key=lambda pair: (-pair[1], pair[0]))
    shares = ", ".join(f"{topic} {share:.3f}" for topic, share in mix if abs(share) >= 0.0005)
    side = "neither side" if abs(valence) < _FIRMNESS[0] else "for" if valence > 0 else "against"
    care = _CARE[bisect(_QUALITY, quality)]
    return f"Topics: {shares}. Side: {valence:+.3f} ({side}). Quality: {quality:+.3f} ({care})."


def looking(clicks: ClickModel, length: int) -> str:
    """Which positions of a page are looked at."""
    words = _LOOKING[clicks.model](clicks, length)
    if clicks.leave > 0:
        words += f" After each item {_hundred(clicks.leave)} readers in a hundred leave the page for good."
    return words


def _by_position(clicks: ClickModel, length: int) -> str:
    chances = [_hundred(position**-clicks.gamma) for position in range(1, min(length, _LISTED) + 1)]
    more = f", and so on as r^-{clicks.gamma:g} for position r" if length > _LISTED else ""
    return f"Of a hundred readers, so many look at each item from the top: {', '.join(chances)}{more}."


def _until_a_click(clicks: ClickModel, length: int) -> str:
    return "They read from the top, one item after the other, and stop at the first one they click."


def _until_satisfied(clicks: ClickModel, length: int) -> str:
    return (
        f"They read from the top. A click satisfies {_hundred(clicks.satisfaction)} in a hundred, who then stop; whoever "
        f"is not satisfied goes on to the next item {_hundred(clicks.continuation)} times in a hundred."
    )


_LOOKING: dict[str, Callable[[ClickModel, int], str]] = {
    "position": _by_position,
    "cascade": _until_a_click,
    "dbn": _until_satisfied,
}


def clicking(clicks: ClickModel) -> str:
    """What is clicked of that which is looked at."""
    agree, neither, oppose = (_hundred(_logistic(clicks.intercept + clicks.alignment * side)) for side in (1, 0, -1))
    return (
        f"Of a hundred who look at an item of quality 0, {agree} click it where it says just what they believe, "
        f"{neither} where it does neither, and {oppose} where it says the opposite. Exactly: the log-odds of a click are "
        f"{clicks.intercept:g} + {clicks.alignment:g} x agreement + quality, where agreement, from -1 to 1, is the cosine "
        "between the reader's beliefs and the item's side times its topic shares."
    )


def moving(rule: BeliefRule) -> str:
    """What an item does to its reader while the page is being read."""
    return (
        f"Each item moves its reader before the next is looked at: a click moves the belief on a topic by {rule.rate:g} x the "
        f"topic's share x the distance to the item's side; seeing it without a click counts {rule.exposure:g} times as much."
        + _RULES[rule.rule](rule)
    )


_RULES: dict[str, Callable[[BeliefRule], str]] = {
    "assimilation": lambda rule: "",
    "bounded": lambda rule: f" A side that is {rule.bound:g} or more away moves nothing.",
    "repulsion": lambda rule: (
        f" A side that is more than {rule.repel_beyond:g} away pushes the belief off instead, {rule.repulsion:g} times as far."
    ),
}


class _Course(Protocol):
    @property
    def topic(self) -> str: ...

    @property
    def shown(self) -> float: ...

    @property
    def clicked(self) -> float: ...


def course(topic: str, issue: str, first: float, now: float, shown: float, clicked: float) -> str:
    """What came of a topic, for whoever answers for the user."""
    return (
        f"{topic}: shown {shown:.1f} items' worth, clicked {clicked:.1f}; at the start {view(issue, first)} "
        f"({first:+.3f}), now {view(issue, now)} ({now:+.3f})"
    )


def told(issue: str, first: float, now: float, shown: float, clicked: float) -> str:
    """The same in the first person."""
    seen = f"I saw {_about(shown)} on it and clicked {_about(clicked)}"
    if abs(now - first) < STEADY:
        return f"I am {view(issue, now)}, much as at the start ({first:+.2f}, now {now:+.2f}); {seen}."
    before, after = view(issue, first), view(issue, now)
    if before == after:
        how = "more" if abs(now) > abs(first) else "less"
        return f"I am still {after}, {how} so than at the start ({first:+.2f}, now {now:+.2f}); {seen}."
    return f"I began {before} ({first:+.2f}) and am now {after} ({now:+.2f}); {seen}."


def diet(standings: Sequence[_Course]) -> str:
    """What a user was shown most, and clicked."""
    shown, clicked = math.fsum(s.shown for s in standings), math.fsum(s.clicked for s in standings)
    if shown <= 0:
        return "I was shown nothing."
    most = min(standings, key=lambda s: (-s.shown, s.topic))
    total, hits = round(shown), round(clicked)
    part = f"{most.shown / shown:.0%} of it on {most.topic}"
    return f"I was shown {counted(total, 'item')}, {part}, and clicked {hits if hits else 'none'}."


def names(asked: str, topic: str, issue: str) -> bool:
    """Whether a question is about a topic, by its stems."""
    about = set(tokens(asked))
    return bool(about & set(tokens(topic)) or len(about & set(tokens(issue))) >= 2)


def nth(n: int) -> str:
    """An ordinal in figures: 1st, 2nd, 11th."""
    ending = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"


def counted(n: int, what: str) -> str:
    """A number of things."""
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"


def _about(number: float) -> str:
    return "next to nothing" if number < 0.5 else f"about {round(number)}"


def _hundred(chance: float) -> str:
    """A chance as so many in a hundred."""
    return f"{100 * chance:.4g}"


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x))
