"""The information need of a user of a search or recommender system."""

from openiir.plugin import Record


class Need(Record):
    """An information need: what an item must have, what the user wants to know of it, and which items would do."""

    constraints: tuple[tuple[str, str], ...] = ()
    """(slot, value) pairs, the weightiest first; an item must have them all."""
    requests: tuple[str, ...] = ()
    """Slots that the user wants to be told of an item before taking it."""
    targets: tuple[str, ...] = ()
    """Ids of the items that would do."""

    @property
    def wanted(self) -> dict[str, tuple[str, ...]]:
        """The values wanted, by slot, in order."""
        by_slot: dict[str, tuple[str, ...]] = {}
        for slot, value in self.constraints:
            by_slot[slot] = (*by_slot.get(slot, ()), value)
        return by_slot

    @property
    def without_targets(self) -> "Need":
        """The same without the items that would do, which neither users nor judges know."""
        return Need.of_own(constraints=self.constraints, requests=self.requests, targets=())
