"""CPU time of the browser for long views, and the first look at a run of 100,000 events with nothing kept.

    python benchmarks/browser.py [--entries 5000] [--claims 3000] [--events 100000]

It needs playwright and a Chromium (named in OPENIIR_CHROMIUM). Times are those of the page's main thread by
its own CPU clock (Chromium's `Performance.getMetrics` in thread ticks), the shortest of three.
"""

import json
import os
import sqlite3
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from measuring import read_clocks, run_command, since
from openiir.api import run
from openiir.runs.settings import Settings
from openiir.server.export.write import write_export
from openiir.server.guard import Access
from openiir.server.listen import listen
from server import lengthen

FLAGS = "--headless --no-sandbox --disable-gpu --disable-background-networking --no-first-run".split()
SPENT = ("TaskDuration", "ScriptDuration", "LayoutDuration", "RecalcStyleDuration")
FRAMES = 60


def add_claims(folder: Path, claims: int) -> None:
    """Repeat a run's claims under other ids until there are so many, a fifth of them with two links."""
    with sqlite3.connect(folder / "run.db") as db:
        made = db.execute("select * from claim order by position").fetchall()
        for n in range(len(made), claims):
            _, _, *rest, document = made[n % len(made)]
            id = f"more-{n}"
            db.execute(
                "insert into claim values (?, ?, ?, ?, ?, ?, ?, ?)",
                (id, n + 1, *rest, json.dumps({**json.loads(document), "id": id})),
            )
            for link in range(1 + (n % 5 == 0)):
                kind = ("supports", "counters", "refines")[(n + link) % 3]
                db.execute(
                    "insert into edge (step, source, target, type, confidence, extractor) "
                    "select ?, ?, id, ?, 0.8, 'none' from claim where position = ?",
                    (rest[0], id, kind, 1 + (n * 7 + link * 3) % len(made)),
                )


class Viewer:
    """A page of a browser, and the CPU time of its main thread."""

    def __init__(self, browser: Any) -> None:
        self.page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
        self.page.set_default_timeout(60_000)
        self.session = self.page.context.new_cdp_session(self.page)
        self.session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def cost(self, act: Callable[[], Any]) -> dict[str, float]:
        """Measure an act, in ms: the whole task, and of it scripts, layout and style."""
        before = self._read()
        act()
        self.page.wait_for_timeout(300)
        return {name: 1_000 * (value - before[name]) for name, value in self._read().items()}

    def _read(self) -> dict[str, float]:
        found = {one["name"]: one["value"] for one in self.session.send("Performance.getMetrics")["metrics"]}
        return {name: found[name] for name in SPENT}


def tell(what: str, costs: Sequence[dict[str, float]], share: int = 1) -> None:
    """Print the cheapest of some measurements."""
    best = min(costs, key=lambda one: one["TaskDuration"])
    form = "{:,.1f} ms CPU, of it script {:,.1f}, layout {:,.1f}, style {:,.1f}"
    print(f"{what}: {form.format(*(best[name] / share for name in SPENT))}")


READ = """new Promise((done) => {
  let left = %d;
  const on = () => { window.scrollBy(0, -400); left-- ? requestAnimationFrame(on) : done(); };
  on();
})"""
Costs = list[dict[str, float]]


def time_transcript(browser: Any, address: str, entries: int) -> None:
    """Print what it costs to open a long transcript, to go to its end, and to read back by 400 pixels a
    frame."""
    nodes = 0

    def read() -> Costs:
        nonlocal nodes
        viewer = Viewer(browser)
        page, scroll = viewer.page, "window.scrollTo(0, document.body.scrollHeight)"
        last = page.locator(f'[aria-posinset="{entries}"] .said').first
        costs = [
            viewer.cost(lambda: _open(page, f"{address}view/transcript", ".row .said")),
            viewer.cost(lambda: (page.evaluate(scroll), last.wait_for())),
        ]
        nodes = page.evaluate("document.querySelectorAll('*').length")
        costs.append(viewer.cost(lambda: page.evaluate(READ % FRAMES)))
        page.context.close()
        return costs

    opened, ended, frames = zip(*(read() for _ in range(3)), strict=True)
    tell(f"transcript of {entries:,} entries opened from a file", opened)
    tell("  to its end at once", ended)
    tell(f"  a frame, of {FRAMES} by 400 pixels", frames, FRAMES)
    print(f"  nodes of the page at its end: {nodes:,}")


def time_graph(browser: Any, address: str, claims: int) -> None:
    """Print what it costs to open a large graph, which shows clusters, and to draw all of its nodes."""

    def draw() -> Costs:
        viewer = Viewer(browser)
        page = viewer.page
        every, choose = page.get_by_text(f"{claims:,} of {claims:,} nodes"), page.get_by_label("Show")
        costs = [
            viewer.cost(lambda: _open(page, f"{address}view/graph", "canvas")),
            viewer.cost(lambda: (choose.select_option("all"), every.wait_for())),
        ]
        page.context.close()
        return costs

    opened, drawn = zip(*(draw() for _ in range(3)), strict=True)
    tell(f"graph of {claims:,} nodes opened from a file, as clusters", opened)
    tell("  all of its nodes, placed and drawn", drawn)


def time_first_look(browser: Any, folder: Path, cache: Path) -> None:
    """Print how long the first content of the overview and of a long view takes, and all of it, with nothing
    kept."""
    for view, place in (("", "canvas, svg.chart, .said"), ("view/transcript", ".row .said")):
        kept = Settings(cache=cache / str(len(view)))
        with listen(folder.parent, "127.0.0.1", 0, Access(), kept) as bound:
            serving = threading.Thread(target=bound.wait)
            serving.start()
            viewer = Viewer(browser)
            _open(viewer.page, f"http://127.0.0.1:{bound.port}/", "main table")
            start = read_clocks()
            _open(viewer.page, f"http://127.0.0.1:{bound.port}/#/run/{folder.name}/{view}", place)
            first = since(start)
            viewer.page.wait_for_load_state("networkidle")
            whole = since(start)
            print(
                f"{view or 'overview'} of {folder.name}, nothing kept: first content after",
                f"{first.wall:.2f} s ({first.cpu:.2f} s CPU of the server), all after {whole.wall:.2f} s",
                f"({whole.cpu:.2f} s)",
            )
            viewer.page.context.close()
            bound.server.should_exit = True
            serving.join()


def _open(page: Any, address: str, part: str) -> None:
    page.goto(address)
    page.locator(part).first.wait_for()


def main(entries: int = 5_000, claims: int = 3_000, events: int = 100_000) -> None:
    from playwright.sync_api import sync_playwright  # of the group `extras`

    with TemporaryDirectory() as scratch, sync_playwright() as playwright:
        made = run("panel", out=Path(scratch) / "run", progress=False).folder
        add_claims(made, claims)
        lengthen(made, entries, "panel.speak")
        page = Path(scratch) / "run.html"
        print(f"exported without prompts: {write_export(made, page, ('prompts',)) / 1e3:,.0f} kB")
        long = run("panel", out=Path(scratch) / "runs" / "long", progress=False).folder
        lengthen(long, events, "panel.speak")
        program = os.environ.get("OPENIIR_CHROMIUM", "/usr/bin/chromium")
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        time_transcript(browser, f"{page.as_uri()}#/run/run/", entries)
        time_graph(browser, f"{page.as_uri()}#/run/run/", claims)
        time_first_look(browser, long, Path(scratch) / "cache")
        browser.close()


if __name__ == "__main__":
    run_command(main)
