"""Export of a run as one HTML file that opens from disk: the web viewer with the data of all its pages."""

import base64
import gzip
import json
from collections.abc import Collection, Iterable, Iterator
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from openiir.core.errors import InputError, OpeniirError
from openiir.runs.inspect import ComputedPrompts
from openiir.runs.settings import Settings
from openiir.runs.terminal import note
from openiir.runs.views.writing import write_out
from openiir.server.reading import MOST, Reader

Part = Literal["prompts", "personas", "sources"]
"""Parts that can be left out: prompts and replies, personas' descriptions, texts of sources."""
VIEWED = ("timeline", "dialogue")
"""Forms that the viewer narrows to an agent itself."""
AGENTS = 30
"""Most agents of a view for which the view is also exported per agent."""
BUNDLED = ("questions", "chunks", "agents")
UNPACK = """(async () => {
const bytes = Uint8Array.from(atob(document.getElementById("viewer").textContent), (c) => c.charCodeAt(0));
const text = new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
document.body.append(Object.assign(document.createElement("script"), { textContent: await text }));
})();"""
"""Unpacks the viewer and starts it."""
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"


def write_still(
    folder: Path, out: Path, without: Collection[Part] = (), settings: Settings | None = None
) -> int:
    """Write a run as one page; returns its size in bytes. Raises InputError where it cannot be written."""
    if out.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"--out {out}: a run is exported as one page; end the name in .html")
    folder = folder.resolve()
    reader = Reader(folder.parent, settings or Settings(), ComputedPrompts(whole=True))
    blocks = "\n".join(
        f'<script type="application/octet-stream" data-{name}">{_pack(value)}</script>'
        for name, value in _bundle(collect_data(reader, folder.name, without), folder.name)
    )
    viewer = files("openiir") / "web" / "still"
    script = (viewer / "viewer.js").read_text("utf-8")
    page = (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f"<title>{escape(folder.name)} - openiir</title>\n"
        f"<style>{(viewer / 'viewer.css').read_text('utf-8')}</style>\n</head>\n<body>\n"
        f'<div id="app"></div>\n{blocks}\n'
        f'<script id="viewer" type="application/octet-stream">{_pack_text(script)}</script>\n'
        f"<script>{UNPACK}</script>\n"
        "</body>\n</html>\n"
    )
    write_out(out, page)
    return len(page.encode())


def _bundle(data: Iterable[tuple[str, Any]], id: str) -> Iterator[tuple[str, Any]]:
    """Put what is small and alike into one block each, where it packs better: questions, passages, agents."""
    bundles: dict[str, dict[str, Any]] = {f"runs/{id}/{part}/": {} for part in BUNDLED}
    for key, value in data:
        prefix = next((one for one in bundles if key.startswith(one)), None)
        if prefix is None:
            yield f'key="{escape(key)}', value
        else:
            bundles[prefix][key] = value
    yield from ((f'prefix="{escape(prefix)}', values) for prefix, values in bundles.items() if values)


def _pack(value: Any) -> str:
    return _pack_text(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def _pack_text(text: str) -> str:
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode("ascii")


def collect_data(reader: Reader, id: str, without: Collection[Part] = ()) -> Iterator[tuple[str, Any]]:
    """Yield all data that the pages of a run request: paths of the JSON interface with their responses."""
    run = reader.describe(id)
    if run["state"] == "damaged":
        raise InputError(f"{reader.root / id} cannot be read: {run['reason']}")
    run |= {"checked": reader.check(id), "left_out": sorted(without)}
    card = {
        key: value for key, value in run.items() if key not in ("study", "surfaces", "measures", "labels")
    }
    yield "runs", {"runs": [card], "next": None}
    yield f"runs/{id}", run
    chunks: dict[tuple[str, str], None] = {}
    for surface in run["surfaces"]:
        ids = [agent for agent, _ in surface["agents"]]
        narrowed = surface["form"] not in VIEWED and len(ids) <= AGENTS
        for agent in (None, *(ids if narrowed else ())):
            for key, page in _pages(reader, id, surface["name"], agent):
                chunks |= dict.fromkeys(_list_cites(page))
                yield key, page
    for agent, _ in run["people"]:
        yield from _agent_pages(reader, id, agent, without)
    if "prompts" not in without:
        yield from _questions(reader, id)
    if "sources" not in without:
        for world, chunk in chunks:
            yield f"runs/{id}/chunks/{world}/{chunk}", reader.chunk(id, world, chunk)


def _pages(reader: Reader, id: str, name: str, agent: str | None) -> Iterator[tuple[str, Any]]:
    after: str | None = "0"
    while after is not None:
        page = reader.page(id, name, agent, None, after, MOST, None)
        query = "&".join(f"{k}={v}" for k, v in (("after", after), ("agent", agent)) if v not in (None, "0"))
        yield f"runs/{id}/surfaces/{name}{'?' if query else ''}{query}", page.model_dump(mode="json")
        after = page.next


def _list_cites(page: dict[str, Any]) -> Iterator[tuple[str, str]]:
    body = page["body"]
    for part in (*body.get("entries", ()), *body.get("nodes", ())):
        for cite in part.get("cites", ()):
            yield cite["world"], cite["chunk"]


def _agent_pages(reader: Reader, id: str, agent: str, without: Collection[Part]) -> Iterator[tuple[str, Any]]:
    after = 0
    while True:
        page = reader.agent(id, agent, after, MOST)
        if "personas" in without:
            page["persona"] = {key: page["persona"][key] for key in ("id", "name")}
        yield f"runs/{id}/agents/{agent}{f'?after={after}' if after else ''}", page
        if page["next"] is None:
            return
        after = int(page["next"])


def _questions(reader: Reader, id: str) -> Iterator[tuple[str, Any]]:
    after, compute = 0, True
    while True:
        page = reader.questions(id, None, None, None, after, MOST)
        yield f"runs/{id}/questions{f'?after={after}' if after else ''}", page
        for question in page["questions"]:
            place = question["place"]
            try:
                found = reader.question(id, int(place), compute)
            except OpeniirError as error:
                note(f"prompts that would have to be computed again are left out: {error}")
                found, compute = reader.question(id, int(place), False), False
            yield f"runs/{id}/questions/{place}", found
        if page["next"] is None:
            return
        after = int(page["next"])
