"""Look up rankers by name: built-in ones, or callables of the study."""

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Annotated, Any

import numpy as np
from pydantic import AfterValidator, Field

from openiir.core.callables import CodeName, load_callable
from openiir.core.systems.own_code import call_own
from openiir.kit.arrays import Floats
from openiir.kit.rankers.scores import RANKERS
from openiir.kit.rankers.serving import check_scores
from openiir.plugin import InputError

RankerName = Annotated[
    str,
    Field(min_length=1, max_length=200),
    AfterValidator(lambda name: CodeName(name) if ":" in name else name),
]
"""Type of a configuration key that names a ranker. A callable of the study's own needs permission to run."""


def check_name(name: str, key: str, known: Mapping[str, Callable[[Any], Floats]] = RANKERS) -> None:
    """Raise InputError naming `key` for an unknown ranker or a callable that cannot be imported."""
    if name in known:
        return
    if ":" not in name:
        raise InputError(
            f"{key} = {name!r}: no ranker is called so; known: {', '.join(known)}, or package.module:function"
        )
    try:
        load_callable(name)
    except InputError as error:
        raise InputError(f"{key} = {name!r}: {error}") from None


def ranker(name: str, known: Mapping[str, Callable[[Any], Floats]] = RANKERS) -> Callable[[Any], Floats]:
    """Look up a ranker (item scorer) by name, among those in `known`.

    A callable of the study gets a read-only view, and its scores are checked.
    """
    if name in known:
        return known[name]
    function = load_callable(name)

    def call(view: Any) -> Floats:
        result: Any = call_own(f"ranker {name!r}", function, _read_only(view))
        if isinstance(result, np.ndarray) and result.dtype.kind in "iu" and result.ndim == 2:
            return _scores_of_order(name, result, view)
        return check_scores(name, result, view.shape)

    return call


def _read_only(view: Any) -> Any:
    """Copy a view, a dataclass, with read-only arrays."""
    arrays = {one.name: getattr(view, one.name) for one in fields(view)}
    locked: dict[str, Any] = {
        name: array.view() for name, array in arrays.items() if isinstance(array, np.ndarray)
    }
    for array in locked.values():
        array.flags.writeable = False
    return replace(view, **locked)


def _scores_of_order(name: str, order: Any, view: Any) -> Floats:
    """Convert orders of items (B, m), best first, to scores; items left out come last."""
    users, columns = view.shape
    offered = np.broadcast_to(view.items, view.shape)
    if len(order) != users:
        raise InputError(
            f"the ranker {name!r} returned {len(order)} orders for {users} users; return one a user"
        )
    scores = np.full((users, columns), -float(columns))
    for user in range(users):
        place = {int(item): n for n, item in enumerate(offered[user])}
        seen: set[int] = set()
        for n, item in enumerate(order[user].tolist()):
            if item in seen:
                raise InputError(
                    f"the ranker {name!r} ranked item {item} twice for user {int(view.users[user])}; "
                    "an order holds each item once"
                )
            if item not in place:
                raise InputError(
                    f"the ranker {name!r} ranked item {item} for user {int(view.users[user])}, which was "
                    "not offered; rank indices that view.items holds"
                )
            seen.add(item)
            scores[user, place[item]] = -float(n)
        if columns and not seen:
            raise InputError(
                f"the ranker {name!r} ranked nothing for user {int(view.users[user])}; rank the items"
            )
    return scores
