"""Cut views into pages of JSON, as the web app and exports read them."""

import json
from bisect import bisect_left
from collections.abc import Sequence
from typing import Any, NamedTuple

from pydantic_core import to_json

from openiir.core.hashing import sha256
from openiir.core.records import Record
from openiir.core.storage import Log
from openiir.core.storage.derived_file import DerivedFile, StoredView
from openiir.plugin import Cards, Entry, Form, Graph, Ranking, Surface, SurfaceView, Table, Tree

VERSION = 1
"""Version of the JSON in which views are written."""
MOST = 500
"""Default number of entries, rows or cards on a page."""
ENTRIES = "entries"
"""The list of timelines and dialogues."""
_PARTS: dict[Any, str] = {Ranking: "rows", Table: "rows", Cards: "items", Tree: "nodes"}
"""The field of each form that is cut into pages; other forms are returned whole."""


class Page(Record):
    """A page of a view as JSON: its body in the view's form, and the cursor of the next page."""

    form: Form
    version: int = VERSION
    title: str
    total: int
    """Number of entries, rows, cards or nodes in the whole view; 1 where it has no such parts."""
    next: str | None = None
    step: int
    """The step after which the view was computed."""
    whole: bool = True
    """False where the view was still to be computed, and this is its beginning:
    `total` counts what was read so far."""
    text: str
    """The body as JSON."""

    @property
    def body(self) -> Any:
        return json.loads(self.text)

    def write_json(self) -> str:
        """Write the page as JSON without reading its body; equal values of `digest` mean equal bodies."""
        head = self.model_dump(exclude={"text"}) | {"digest": sha256(self.text)}
        return f'{json.dumps(head, ensure_ascii=False)[:-1]},"body":{self.text}}}'


class ViewParts(NamedTuple):
    """A view divided into its longest list, which is cut into pages, and the rest."""

    head: str
    """JSON of the view without the list."""
    part: str
    """Name of the list; empty for views that are not cut."""
    items: Sequence[Any]

    @property
    def total(self) -> int:
        return len(self.items) if self.part else 1

    def read_items(self, first: int, limit: int) -> str:
        """Return items from number `first` on as JSON, separated by commas."""
        return write_json(self.items[first : first + limit])[1:-1]

    def first_of_step(self, step: int) -> int:
        """Return the number of the first entry of this step or a later one; the total if there is none."""
        return bisect_left(self.items, step, key=lambda entry: entry.step)


class StoredParts:
    """A view divided for paging as in `ViewParts`, but read from a cache file."""

    def __init__(self, file: DerivedFile, view: StoredView) -> None:
        self.file, self.view = file, view
        self.head, self.part, self.total = view.head, view.part, view.total

    def read_items(self, first: int, limit: int) -> str:
        """Return items from number `first` on as JSON, separated by commas."""
        return ",".join(self.file.items(self.view.id, first, limit))

    def first_of_step(self, step: int) -> int:
        """Return the number of the first entry of this step or a later one; the total if there is none."""
        return self.file.first_of_step(self.view, step)


def write_json(value: Any) -> str:
    """Write records and plain values as JSON; undefined numbers become null."""
    return to_json(value, inf_nan_mode="null").decode()


def compute_view(surface: Surface, log: Log, agent: str | None = None, **since: int) -> SurfaceView:
    """Compute a surface's view, for one agent if the surface supports that."""
    own = {"agent": agent} if agent is not None and surface.per_agent else {}
    return surface.view(log, **own, **since)


def divide_view(view: SurfaceView) -> ViewParts:
    """Divide a view into the list that is cut into pages and the rest."""
    if isinstance(view, Entry):
        view = [view]
    if isinstance(view, Sequence):
        return ViewParts("{}", ENTRIES, view)
    if isinstance(view, Graph):
        view = view.network()
    name = _PARTS.get(type(view), "")
    head = json.loads(view.model_dump_json(exclude={name}))
    if isinstance(view, Table):
        for number, column in enumerate(head["columns"]):
            column["kind"] = view.kind_of(number)
    return ViewParts(write_json(head), name, getattr(view, name) if name else ())


def cut_page(
    surface: Surface,
    parts: ViewParts | StoredParts,
    step: int,
    after: str | None = None,
    limit: int = MOST,
    seek: int | None = None,
    until: int | None = None,
) -> Page:
    """Cut a page from a view: from the cursor `after` or the step `seek` on, up to the step `until`."""
    first, total, text, cursor = int(after or 0), parts.total, parts.head, None
    if parts.part:
        if until is not None and parts.part == ENTRIES:
            total = parts.first_of_step(until + 1)
        if seek is not None and parts.part == ENTRIES:
            first = parts.first_of_step(seek)
        end = min(first + limit, total)
        cursor = str(end) if end < total else None
        comma = "" if text == "{}" else ","
        items = parts.read_items(first, max(0, end - first))
        text = f'{text[:-1]}{comma}"{parts.part}":[{items}]}}'
    return Page(form=surface.form, title=surface.title, total=total, next=cursor, step=step, text=text)
