"""Whether a catalogue is large enough for rankers to differ at all."""

from openiir.plugin import InputError

ENOUGH = 5
"""Items for each exposure of one user, from which on rankers can choose."""


def check_exhaustion(items: int, exposures: int, per_week: int = 0) -> None:
    """Raise InputError where users would see so much of a catalogue that every ranker shows the same.

    `exposures` is what one user sees in a run without repeats: weeks * sessions * slots. Enough are 5 items an
    exposure; or new items each week (`per_week` above 0), as long as no user can come to the catalogue's end.
    In our measurements 600 items for 600 exposures made all rankers' final opinions and exposures alike.
    """
    if items >= ENOUGH * exposures or (per_week > 0 and items > exposures):
        return
    arriving = f"{per_week} arriving a week" if per_week else "all there from the first week"
    raise InputError(
        f"items = {items} ({arriving}) for {exposures} exposures a user (weeks * sessions * slots): users would run "
        f"out of items, and every ranker would show the same; take at least {ENOUGH * exposures} items, "
        f"let new ones arrive each week (per_week, with more than {exposures} in all), or show fewer"
    )
