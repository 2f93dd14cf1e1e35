"""Cut views into pages of JSON, as the web app and exports read them."""

import json
from collections.abc import Sequence
from inspect import signature
from typing import Any

from pydantic import TypeAdapter

from openiir.core.hashing import sha256
from openiir.core.records import Record
from openiir.core.storage import Log
from openiir.plugin import Cards, Entry, Form, Graph, Ranking, Surface, SurfaceView, Table, Tree

VERSION = 1
"""Version of the JSON in which views are written."""
MOST = 500
"""Default number of entries, rows or cards on a page."""
_ENTRIES = TypeAdapter(tuple[Entry, ...])
_PARTS: dict[Any, str] = {Ranking: "rows", Table: "rows", Cards: "items", Tree: "nodes"}
"""The field of each form that is cut into pages; other forms are returned whole."""


class Page(Record):
    """A page of a view as JSON: `body` in the view's form, `next` the cursor of the page after it."""

    form: Form
    version: int = VERSION
    title: str
    body: Any
    total: int
    """Number of entries, rows, cards or nodes in the whole view; 1 where it has no such parts."""
    next: str | None = None
    step: int
    """The step after which the view was computed."""
    digest: str
    """SHA-256 of the body: equal digests mean equal pages."""


def view_of(surface: Surface, log: Log, agent: str | None = None, since: int = 0) -> SurfaceView:
    """Compute a surface's view, for one agent and since a step as far as the surface supports that."""
    narrowed: dict[str, Any] = {}
    if agent is not None and surface.per_agent:
        narrowed["agent"] = agent
    if since and surface.live == "append" and "since" in signature(surface.view).parameters:
        narrowed["since"] = since
    return surface.view(log, **narrowed)


def cut_page(
    surface: Surface,
    view: SurfaceView,
    step: int,
    after: str | None = None,
    limit: int = MOST,
    seek: int | None = None,
) -> Page:
    """Cut a page from a whole view, from the cursor `after` or the step `seek` on."""
    first = int(after or 0)
    if isinstance(view, Entry):
        view = [view]
    if isinstance(view, Sequence):
        if seek is not None:
            first = next((n for n, entry in enumerate(view) if entry.step >= seek), len(view))
        total = len(view)
        body: Any = {"entries": json.loads(_ENTRIES.dump_json(tuple(view[first : first + limit])))}
    else:
        body, total = _body_of(view, first, limit)
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return Page(
        form=surface.form,
        title=surface.title,
        body=body,
        total=total,
        next=str(first + limit) if first + limit < total else None,
        step=step,
        digest=sha256(text.encode()),
    )


def _body_of(view: Any, first: int, limit: int) -> tuple[Any, int]:
    """Return a view that is one record as JSON, cut to a page, with its total number of parts."""
    if isinstance(view, Graph):
        view = view.network()
    part, total = _PARTS.get(type(view)), 1
    if part is not None:
        whole = getattr(view, part)
        total = len(whole)
        if first or limit < total:
            view = view.model_construct(**{**dict(view), part: whole[first : first + limit]})
    body = json.loads(view.model_dump_json())
    if isinstance(view, Table):
        for number, column in enumerate(body["columns"]):
            column["kind"] = view.kind_of(number)
    return body, total
