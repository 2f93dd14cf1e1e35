"""Consistency checks of reported measures by identities and inequalities that hold for any data.

Numbers are taken as printed: a text such as "0.783" stands for everything that rounds to it, half a unit of
its last digit either way, and every rule is judged on those intervals. A number (float or int) is taken as
exact.
"""

import math
import re
from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from openiir.plugin import InputError

Reported = str | float
"""A number as printed, such as "0.783", ".5341*" (with a mark of significance) or "67.6 %"; or an exact
number."""

AVERAGING = 0.03
"""How far the implied share of positives may lie off where precision and recall are means over users.

The identity holds for pooled counts. Where all users judge as many items with as many positives, the means of
accuracy and recall are the pooled ones; only mean precision differs, by -cov(yes said, precision) / mean yes
said. Thirteen scorers on MovieLens-1M (20 items a user, 1,000 users, 1, 2, 3 and 9 negatives a positive)
moved the share by .023 at most. More takes users of opposite kinds in one sample, so beyond it a row is
refused, though not as impossible.
"""
_EXACT = 1e-9
_PRINTED = re.compile(r"([+-]?)(\d*)(?:\.(\d*))?\s*(%?)\s*[*†‡]*")


class Contradiction(NamedTuple):
    """A rule that reported numbers break, with an explanation."""

    rule: str
    """Name of the rule: `range`, `f1`, `share`, `users`, `zero`, `rmse`, `mse`, `like` or `shown`."""
    text: str
    certain: bool = True
    """Whether no data at all can give these numbers; False where contrived data or mixed averages could."""


class RoundingInterval(NamedTuple):
    """Range of values that round to a printed number."""

    low: float
    high: float
    text: str


def parse_printed(number: Reported) -> RoundingInterval:
    """Parse a printed number to the interval of values that round to it.

    Raises InputError for a text that is not a number.
    """
    if isinstance(number, str):
        found = _PRINTED.fullmatch(number.strip())
        if not found or not (found[2] or found[3]):
            raise InputError(f'{number!r} is no printed number; write "0.783", ".5341*" or "67.6 %"')
        unit = 0.01 if found[4] else 1.0
        value = float(f"{found[1]}{found[2] or 0}.{found[3] or 0}") * unit
        half = 0.5 * 10.0 ** -len(found[3] or "") * unit + _EXACT
        return RoundingInterval(value - half, value + half, number.strip())
    if not math.isfinite(number):
        raise InputError(f"{number} cannot be judged; leave out what has no value")
    return RoundingInterval(number - _EXACT, number + _EXACT, f"{number:.6g}")


def implied_share(accuracy: Reported, precision: Reported, recall: Reported) -> tuple[float, float]:
    """Compute the lowest and highest share of positives consistent with accuracy, precision and recall.

    Holds for counts pooled over users. With A, P, R: A = 1 - p + p R (2 - 1/P), so p = (1 - A) / (1 - R (2 -
    1/P)). It is monotone in each of the three, so its extremes lie at corners of the box of printed values.
    (0, 1) where the numbers leave p open: a precision that may be 0, or a perfect classifier.
    """
    a, p, r = (parse_printed(number) for number in (accuracy, precision, recall))
    if p.low <= 0:
        return 0.0, 1.0
    corners = []
    for acc, prec, rec in product(_clip(a), _clip(p), _clip(r)):
        below = 1 - rec * (2 - 1 / prec)
        if below <= _EXACT:
            return 0.0, 1.0
        corners.append((1 - acc) / below)
    return min(corners), max(corners)


def check_discrimination(
    accuracy: Reported,
    precision: Reported,
    recall: Reported,
    share: float,
    f1: Reported | None = None,
    pooled: bool = False,
    items: int | None = None,
) -> tuple[Contradiction, ...]:
    """Check accuracy, precision, recall and F1 against each other and the known share of positives.

    With m negatives for each positive, the share is 1 / (m + 1). `pooled` says that they are of all
    judgements as one heap, where the share must fit to the printed digits; otherwise they are means over
    users and may be off by `AVERAGING`. Then `items`, how many each user judged, adds an exact check: whether
    any users at all can have these means (`is_attainable`). F1 is at most the harmonic mean of P and R,
    since that is concave and users' own F1 average to no more (Jensen 1906); it is not certain for means,
    which may leave out other users in F1 than in R.
    """
    given = {"accuracy": accuracy, "precision": precision, "recall": recall}
    named = {name: parse_printed(number) for name, number in given.items()}
    if f1 is not None:
        named["f1"] = parse_printed(f1)
    if found := _out_of_range(named):
        return tuple(found)
    a, p, r = named["accuracy"], named["precision"], named["recall"]
    numbers = f"accuracy {a.text}, precision {p.text} and recall {r.text}"
    if (p.high <= 2 * _EXACT and r.low > 0) or (r.high <= 2 * _EXACT and p.low > 0):
        text = f"precision {p.text} and recall {r.text}: one is 0 only where both are"
        found.append(Contradiction("zero", text))
    best = 2 * p.high * r.high / max(p.high + r.high, _EXACT)
    if f1 is not None and named["f1"].low > best:
        bound = f"{best:.4f}, the harmonic mean of precision {p.text} and recall {r.text}"
        found.append(Contradiction("f1", f"F1 {named['f1'].text} is above {bound}", certain=pooled))
    low, high = implied_share(accuracy, precision, recall)
    slack = 0.0 if pooled else AVERAGING
    if not low - slack <= share <= high + slack:
        allowed = "" if pooled else f", further off than averaging over users accounts for ({AVERAGING})"
        implied = f"{low:.3f}" if f"{low:.3f}" == f"{high:.3f}" else f"{low:.3f} to {high:.3f}"
        text = f"{numbers} imply {implied} positives; the protocol has {share:.3f}{allowed}"
        found.append(Contradiction("share", text, certain=pooled))
    if items is not None and not pooled:
        positives = round(share * items)
        if not is_attainable(accuracy, precision, recall, items, positives):
            text = f"no users who judge {items} items with {positives} positives have on average {numbers}"
            found.append(Contradiction("users", text))
    return tuple(found)


def is_attainable(
    accuracy: Reported, precision: Reported, recall: Reported, items: int, positives: int
) -> bool:
    """Whether any set of users can have these mean values of accuracy, precision and recall.

    Each user judges `items` items, of which `positives` are positive. A linear programme over the shares of
    users with each pair (true positives, false positives). Who says yes to nothing may count as precision 0
    or be left out of its mean. InputError unless 0 < positives < items.
    """
    from scipy.optimize import linprog

    if not 0 < positives < items:
        raise InputError(f"{positives} positives of {items} items; both classes are needed")
    tp, fp = (axis.ravel() for axis in np.mgrid[: positives + 1, : items - positives + 1])
    own = np.divide(tp, tp + fp, out=np.zeros(len(tp)), where=tp + fp > 0)
    # The last column is who is left out of mean precision; None where such a user is not counted.
    means: list[tuple[Reported, Any, float | None]] = [
        (accuracy, 1 - (positives - tp + fp) / items, 1 - positives / items),
        (recall, tp / positives, 0.0),
        (precision, own, None),
    ]
    rows = []
    for number, values, left_out in means:
        low, high, _ = parse_printed(number)
        counted, total = np.append(np.ones(len(tp)), left_out is not None), np.append(values, left_out or 0.0)
        rows += [total - high * counted, low * counted - total]
    whole = np.append(np.ones(len(tp)), 0.0)
    found = linprog(np.zeros(len(whole)), A_ub=rows, b_ub=np.zeros(len(rows)), A_eq=[whole], b_eq=[1.0])
    return bool(found.status != 2)


def check_rating_errors(rmse: Reported, mae: Reported, whole: bool = False) -> tuple[Contradiction, ...]:
    """Check that RMSE >= MAE and, for whole-number errors, MSE >= MAE.

    The first also holds for means over users, the second only for pooled errors. `whole` says that they are:
    whole-number ratings and predictions, pooled. An error of 1 or more is at most its own square, and 0 is 0.
    It does not hold for means of users' own RMSE.
    """
    root, absolute = parse_printed(rmse), parse_printed(mae)
    for name, number in (("RMSE", root), ("MAE", absolute)):
        if number.high < 0:
            return (Contradiction("range", f"{name} {number.text} is below 0"),)
    if root.high < absolute.low:
        text = f"RMSE {root.text} is below MAE {absolute.text}, which no errors give"
        return (Contradiction("rmse", text),)
    if whole and root.high**2 < absolute.low:
        text = (
            f"RMSE {root.text} squared is at most {root.high**2:.4f}, below MAE {absolute.text}; "
            "whole-number errors have MSE >= MAE"
        )
        return (Contradiction("mse", text),)
    return ()


def check_visits(
    p_view: Reported,
    p_like: Reported,
    n_like: Reported | None = None,
    n_exit: Reported | None = None,
    items_a_page: int | None = None,
) -> tuple[Contradiction, ...]:
    """Check that P_like <= P_view, that both lie in 0..1, and that likes fit on the pages shown.

    Both shares are of the items shown. The check of likes needs `n_like`, `n_exit` and `items_a_page`.
    """
    view, like = parse_printed(p_view), parse_printed(p_like)
    found = _out_of_range({"P_view": view, "P_like": like})
    if like.low > view.high:
        text = (
            f"P_like {like.text} is above P_view {view.text}; only what was viewed can be liked, so it is "
            "not likes over shown"
        )
        found.append(Contradiction("like", text))
    if n_like is not None and n_exit is not None and items_a_page is not None:
        likes, pages = parse_printed(n_like), parse_printed(n_exit)
        if likes.low > pages.high * items_a_page:
            text = f"{likes.text} likes a visit exceed {pages.text} pages of {items_a_page} items"
            found.append(Contradiction("shown", text))
    return tuple(found)


def refuse(contradictions: Sequence[Contradiction], what: str) -> None:
    """Raise InputError if there are contradictions.

    `what` names the numbers, such as "Table 1, SimUSER at 1:9".
    """
    if contradictions:
        said = "; ".join(one.text for one in contradictions)
        raise InputError(
            f"{what} cannot all be true: {said}. Recompute the numbers from the judgements themselves"
        )


def _out_of_range(named: dict[str, RoundingInterval]) -> list[Contradiction]:
    return [
        Contradiction("range", f"{name} {number.text} is outside 0 to 1")
        for name, number in named.items()
        if number.high < 0 or number.low > 1
    ]


def _clip(number: RoundingInterval) -> tuple[float, float]:
    return max(number.low, 0.0), min(number.high, 1.0)
