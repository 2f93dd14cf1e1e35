"""Information needs in the JSON of UserSimCRS: constraints, requests and target items."""

from collections.abc import Iterable
from itertools import chain
from typing import Any

from openiir.scenarios.conversational.model.dialogue import Need

_ORDER = "order"
"""openiir's key for the order of constraints, for slots whose values are not adjacent."""


def read_need(value: Any) -> Need | None:
    """Read a need from JSON; None if there is none. Parts that cannot be understood are left out."""
    if not isinstance(value, dict):
        return None
    constraints = value.get("constraints")
    listed = constraints.items() if isinstance(constraints, dict) else map(_as_list, _as_list(constraints))
    pairs = [
        (pair[0], text)
        for pair in listed
        if len(pair) == 2 and isinstance(pair[0], str)
        for text in _as_strings(pair[1])
    ]
    requests = value.get("requests", value.get("requested_slots"))
    return Need(
        constraints=tuple(_reorder_pairs(pairs, value.get(_ORDER))),
        requests=tuple(_as_strings(list(requests) if isinstance(requests, dict) else requests)),
        targets=tuple(chain.from_iterable(_ids(one) for one in _as_list(value.get("target_items")))),
    )


def written_need(need: Need) -> dict[str, Any]:
    """Return a need as a JSON object; a slot with several values has a list of them."""
    wanted = need.wanted.items()
    written: dict[str, Any] = {
        "constraints": {slot: values[0] if len(values) == 1 else list(values) for slot, values in wanted},
        "requests": list(need.requests),
        "target_items": list(need.targets),
    }
    if [(slot, value) for slot, values in wanted for value in values] != list(need.constraints):
        written[_ORDER] = [slot for slot, _ in need.constraints]
    return written


def _reorder_pairs(pairs: list[tuple[str, str]], order: Any) -> Iterable[tuple[str, str]]:
    """Reorder (slot, value) pairs by a list of slots, if the list is a permutation of their slots."""
    slots = [slot for slot, _ in pairs]
    known = isinstance(order, list) and all(isinstance(slot, str) for slot in order)
    if not known or sorted(slots) != sorted(order):
        return pairs
    values = {slot: [value for other, value in pairs if other == slot] for slot in slots}
    return [(slot, values[slot].pop(0)) for slot in order]


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _as_strings(value: Any) -> Iterable[str]:
    """Yield the strings and numbers of a list, or a single value, as strings."""
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, str | int | float):
            yield str(one)


def _ids(item: Any) -> Iterable[str]:
    if isinstance(item, dict):
        item = next((item[key] for key in ("id", "item_id") if key in item), None)
    return _as_strings(item)
