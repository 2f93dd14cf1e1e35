"""Describe a comparison in sentences, for terminals and pages alike."""

from openiir.core.sums import int_sum
from openiir.kit import statistics
from openiir.runs.compare.records import (
    ALPHA,
    ArmValues,
    ComparedMeasure,
    Comparison,
    Contrast,
    Number,
    NumberInterval,
)

MOST_PERCENT = 1_000
"""Largest percentage that is shown; beyond it the baseline's mean is near 0 and a percentage says nothing."""
NOTES = (
    "The unit is the seed (a whole run): users, posts and turns inside a run are not independent.",
    "Significant is not important: a simulation has little noise, so p and d_z tell how surely two settings "
    "of the "
    "model differ, not whether that matters. Say beforehand what would matter (--smallest NAME=VALUE).",
    "These are differences between settings of a model. They are evidence about the model, not about people.",
)


def comparison_title(found: Comparison) -> str:
    """Return a title with the number of arms and runs, such as `2 arms, 20 runs of panel`."""
    arms = "1 arm" if len(found.arms) == 1 else f"{len(found.arms)} arms"
    return f"{arms}, {int_sum(len(arm.runs) for arm in found.arms)} runs of {', '.join(found.types)}"


def format_number(x: float | None, signed: bool = False, digits: int = 4) -> str:
    """Format a number with `digits` significant digits; `-` where it is None."""
    if x is None:
        return "-"
    return f"{x:+.{digits}g}" if signed else f"{x:.{digits}g}"


def format_p(number: Number) -> str:
    """Format a p value with two digits; small ones as `<.0001`, never as 0."""
    if number.value is None:
        return "-"
    return (
        "<.0001"
        if number.value < 0.0001
        else f"{number.value:.2g}"
        if number.value < 0.1
        else f"{number.value:.2f}"
    )


def format_interval(bounded: NumberInterval, signed: bool = False, digits: int = 4) -> str:
    """Format an interval in brackets; `-` where it is undefined."""
    if bounded.low is None or bounded.high is None:
        return "-"
    return f"[{format_number(bounded.low, signed, digits)}, {format_number(bounded.high, signed, digits)}]"


def format_arm(values: ArmValues) -> tuple[str, ...]:
    """Format an arm's mean, interval, lowest and highest value, and number of seeds."""
    points = [p.value for p in values.points if p.value is not None]
    ends = (format_number(min(points)), format_number(max(points))) if points else ("-", "-")
    bounds = "all equal" if len(points) > 1 and min(points) == max(points) else format_interval(values.mean)
    return (format_number(values.mean.value), bounds, *ends, str(len(points)))


def format_count(number: Number) -> str:
    """Format a number of seeds; `-` where it is unknown."""
    return "-" if number.value is None else f"{number.value:,.0f}"


def format_contrast(c: Contrast, digits: int = 4) -> dict[str, str]:
    """Format the numbers of a contrast, by the heads of their columns."""
    sizes = {"d_z": c.d_z, "Cliff's δ": c.cliffs_delta, "ρ": c.correlation, "SD ratio": c.spread_ratio}
    return {
        "difference from baseline": format_number(c.difference.value, True, digits),
        "95 % interval": format_interval(c.difference, True, digits),
        "%": "-" if c.percent.value is None else f"{c.percent.value:+.3g}",
        "ratio": "-"
        if c.ratio.value is None
        else f"{format_number(c.ratio.value)} {format_interval(c.ratio)}",
        "p": format_p(c.p),
        "corrected": format_p(c.adjusted),
        **{name: "-" if n.value is None else f"{n.value:.2f}" for name, n in sizes.items()},
        "S": str(c.seeds),
        "S for 80 %": format_count(c.seeds_needed_80),
        "90 %": format_count(c.seeds_needed_90),
    }


def describe_contrast(comparison: Comparison, one: ComparedMeasure, c: Contrast) -> str:
    """Say in a sentence whether the arms differ, in which direction, by how much, and how surely."""
    arm, base = comparison.arm(c.arm).label, comparison.arm(c.baseline).label
    if c.difference.value is None:
        return f"{one.measure} cannot be compared between {arm} and {base}: {c.difference.reason}."
    of = f"{c.seeds} shared seed" + ("s" if c.seeds != 1 else "")
    if not (c.higher or c.lower):
        where = "at the one shared seed" if c.seeds == 1 else f"in each of {of}"
        return f"{one.measure} is the same with {arm} and {base} {where}."
    if c.p.value is None:
        less = format_number(c.difference.value, True)
        return f"{one.measure}: {arm} less {base} is {less}, untested: {c.p.reason}."
    way, n = ("higher", c.higher) if c.difference.value > 0 else ("lower", c.lower)
    family = next(f for f in comparison.families if f.name == one.family)
    percent = (
        ""
        if c.percent.value is None or abs(c.percent.value) > MOST_PERCENT
        else f" ({c.percent.value:+.3g} %)"
    )
    corrected = f"{format_p(c.adjusted)} after {family.correction} over {_tests(family.tests)}"
    sure = f"p = {format_p(c.p)}, {corrected}"
    if why := explain_p(comparison, one, c):
        sure += f" ({why})"
    difference = f"{format_number(c.difference.value, True)}{percent}"
    bounds = format_interval(c.difference, True)
    seen = f"; 95 % interval {bounds}" if bounds != "-" else ""
    if c.is_significant:
        return (
            f"{one.measure} is {way} with {arm} than with {base}, in {n} of {of}: {difference}{seen}; {sure}."
        )
    return (
        f"{one.measure} is not shown to differ between {arm} and {base}: {difference}{seen}, {way} in {n} "
        f"of {of}; {sure}."
    )


def explain_p(comparison: Comparison, one: ComparedMeasure, c: Contrast) -> str:
    """Explain why p and the interval disagree about a difference from zero; empty where they agree."""
    if c.p.value is None or c.difference.low is None or c.difference.high is None:
        return ""
    if (c.difference.low > 0 or c.difference.high < 0) == c.is_significant:
        return ""
    if c.is_significant:
        return "the interval takes the differences as normal, the test only as symmetric"
    fewest, family = (
        statistics.smallest_p(c.seeds),
        next(f for f in comparison.families if f.name == one.family),
    )
    if fewest > ALPHA:
        return (
            f"the sign-flip test cannot go below p = {format_p(Number(value=fewest))} with {c.seeds} seeds; "
            f"{statistics.fewest_seeds(ALPHA)} or more can show a difference at {ALPHA:g}"
        )
    if c.p.value < ALPHA:
        return (
            f"p = {format_p(c.p)} before {family.correction}'s correction over {_tests(family.tests)}; the "
            "interval is not corrected"
        )
    return "the interval takes the differences as normal, the test only as symmetric"


def describe_equivalence(c: Contrast) -> str:
    """Describe the equivalence test against the declared smallest effect; empty where none was declared."""
    e = c.equivalence
    if e is None:
        return ""
    if e.verdict == "undefined":
        return f"against the smallest effect that matters (±{e.smallest:g}): undefined, {e.reason}"
    said = {
        "equivalent": "equivalent: the difference is smaller than that",
        "larger": "larger than that",
        "undecided": "undecided: the data allow both a smaller and a larger one",
    }[e.verdict]
    bounds = f"90 % interval [{format_number(e.low, True)}, {format_number(e.high, True)}]"
    p = "" if e.verdict == "larger" else f", TOST p = {format_p(Number(value=e.p))}"
    return f"against the smallest effect that matters (±{e.smallest:g}): {said} ({bounds}{p})"


def describe_pairing(c: Contrast) -> str:
    """Describe how pairing by seed changed the spread of the differences."""
    if c.spread_ratio.value is None:
        return f"pairing: {c.spread_ratio.reason}"
    rho = f"correlation {c.correlation.value:.2f}, " if c.correlation.value is not None else ""
    return f"pairing: {rho}the difference's SD is {c.spread_ratio.value:.2f} x that of independent seeds"


def describe_effect(c: Contrast) -> str:
    """Describe the effect sizes, or why they are undefined."""
    parts = [f"d_z undefined ({c.d_z.reason})" if c.d_z.value is None else f"d_z {c.d_z.value:.2f}"]
    if c.cliffs_delta.value is not None:
        parts.append(f"Cliff's delta {c.cliffs_delta.value:.2f}")
    if c.ratio.value is not None:
        parts.append(f"ratio {format_number(c.ratio.value)} {format_interval(c.ratio)}")
    return ", ".join(parts)


def describe_seeds_needed(c: Contrast) -> str:
    """Describe how many seeds a new study would need to show the effect."""
    if c.seeds_needed_80.value is None:
        return f"seeds needed: {c.seeds_needed_80.reason}"
    what = "the smallest effect that matters" if c.equivalence is not None else "an effect as seen"
    needed = map(format_count, (c.seeds_needed_80, c.seeds_needed_90))
    return "seeds needed for {}: {} (power 80 %), {} (90 %)".format(what, *needed)


def describe_tests(comparison: Comparison) -> str:
    """Describe the statistical tests and corrections behind the p values."""
    contrasts = [c for one in comparison.measures for c in one.contrasts if c.p.value is not None]
    if not contrasts:
        return ""
    made = (
        "exact"
        if all(c.exact for c in contrasts)
        else "9,999 random flips"
        if not any(c.exact for c in contrasts)
        else "exact up to 14 seeds"
    )
    by = [f"{f.correction} over {_tests(f.tests)} ({f.name})" for f in comparison.families if f.tests]
    corrected = f"; corrected by {', '.join(by)}" if by else ""
    return f"Tests: two-sided sign-flip permutation of paired differences, {made}{corrected}."


def _tests(n: int) -> str:
    return "1 test" if n == 1 else f"{n} tests"
