"""Data about runs for the web app, read from run folders without ever writing."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from openiir.core.errors import InputError, OpeniirError, UnknownName
from openiir.core.storage import Log, RunFile
from openiir.core.storage.folder import DATABASE
from openiir.core.storage.live_file import read_live
from openiir.plugin import Interview, Surface
from openiir.runs.catalogue import ENDED, RunCard, find_run_folders, read_card, run_folder
from openiir.runs.compare.records import Comparison
from openiir.runs.inspect import ComputedPrompts, inspect_question
from openiir.runs.post_run import compute_measures, scenario_of, surfaces_of
from openiir.runs.run_io import open_checked
from openiir.runs.settings import Settings
from openiir.runs.views.paging import Page, cut_page, view_of

MOST = 500
"""Most entries of a page."""
LETTERS = 2_000
"""Of an event without a text."""


class Reader:
    """Reader of the runs below one folder; views and measures are cached until a run changes."""

    def __init__(self, root: Path, settings: Settings, computed: ComputedPrompts | None = None) -> None:
        self.root = root
        self._ended: dict[str, tuple[int, RunCard]] = {}
        """Cards of ended runs, with the time at which their files were written."""
        self.settings = settings
        self._computed = computed or ComputedPrompts()
        self._view = lru_cache(maxsize=64)(self._read_view)
        self._measures = lru_cache(maxsize=64)(self._read_measures)

    def cards(self, after: str = "", limit: int = MOST) -> tuple[list[RunCard], str | None]:
        """Cards of the runs behind the id `after`, and the last id where there are more; ended runs are read once."""
        folders = [(id, folder) for id, folder in find_run_folders(self.root).items() if id > after]
        found = []
        for id, folder in folders[:limit]:
            written = (folder / DATABASE).stat().st_mtime_ns
            known = self._ended.get(id)
            card = known[1] if known and known[0] == written else read_card(id, folder)
            if card.state in ENDED:
                self._ended[id] = written, card
            found.append(card)
        return found, folders[limit - 1][0] if len(folders) > limit else None

    @contextmanager
    def open(self, id: str) -> Iterator[RunFile]:
        """Open a run for reading; raises UnknownName or DamagedRun."""
        with RunFile.open(run_folder(self.root, id)) as run:
            yield run

    def describe(self, id: str) -> dict[str, Any]:
        """Return the card of a run with its study, surfaces, interviews, measures and step labels."""
        folder = run_folder(self.root, id)
        card = read_card(id, folder).model_dump(mode="json")
        if card["state"] == "damaged":
            return card
        with RunFile.open(folder) as run:
            log, scenario = Log(run), scenario_of(run)
            return {
                **card,
                "study": run.study(),
                "settings_left_out": True,
                "people": [[persona.id, persona.name] for persona in log.personas],
                "checked": {"ok": None, "at": None},
                "progress": _progress_of(folder),
                "surfaces": [_describe(surface, log) for surface in surfaces_of(scenario).values()],
                "interviews": [
                    {"name": one.name, "title": one.title}
                    for one in scenario.surfaces()
                    if isinstance(one, Interview)
                ],
                "measures": self._measures(id, _version(run)),
                "labels": log.steps(),
            }

    def page(
        self,
        id: str,
        name: str,
        agent: str | None,
        until: int | None,
        after: str | None,
        limit: int,
        seek: int | None,
    ) -> Page:
        """Return a page of a surface; raises UnknownName, or InputError for an invalid cursor."""
        with self.open(id) as run:
            surfaces = surfaces_of(scenario_of(run))
            if name not in surfaces:
                raise UnknownName(f"surface of the run {id!r}", name, surfaces)
            if after is not None and not after.isdecimal():
                raise InputError(f"after={after!r} is no cursor; take `next` of the page before")
            steps = len(run.steps()) if until is None else until
            view = self._view(id, name, agent, until, _version(run))
        return cut_page(surfaces[name], view, steps, after, min(limit, MOST), seek)

    def _read_view(self, id: str, name: str, agent: str | None, until: int | None, version: int) -> Any:
        with self.open(id) as run:
            log = Log(run) if until is None else Log(run, until=until)
            return view_of(surfaces_of(scenario_of(run))[name], log, agent)

    def _read_measures(self, id: str, version: int) -> list[dict[str, Any]]:
        with self.open(id) as run:
            if run.state("status") != "done":
                return []
            found = compute_measures(run, {})
        return [
            {"name": name, "value": one.value if math.isfinite(one.value) else None, "reason": one.reason}
            for name, one in found.items()
        ]

    def check(self, id: str) -> dict[str, Any]:
        """Check a run's record against its manifest; returns `ok` and the reason."""
        try:
            open_checked(run_folder(self.root, id)).close()
        except OpeniirError as error:
            return {"ok": False, "reason": str(error)}
        return {"ok": True, "reason": ""}

    def agent(self, id: str, agent: str, after: int, limit: int) -> dict[str, Any]:
        """Return a persona with a page of its events, the number of its questions, and the tokens it spent."""
        with self.open(id) as run:
            personas = {persona.id: persona for persona in Log(run).personas}
            if agent not in personas:
                raise UnknownName(f"agent of the run {id!r}", agent, personas)
            rows = run.db.execute(
                "select seq, step, kind, payload from event where actor = ? and seq > ? order by seq limit ?",
                (agent, after, limit + 1),
            ).fetchall()
            asked, debits = run.db.execute(
                "select count(*), coalesce(sum(json_extract(payload, '$.debit')), 0) from event "
                "where kind = 'asked' and actor = ?",
                (agent,),
            ).fetchone()
        persona = personas[agent]
        return {
            "persona": persona.model_dump(mode="json"),
            "events": [
                {"seq": seq, "step": step, "kind": kind, "text": _event_words(json.loads(payload))}
                for seq, step, kind, payload in rows[:limit]
            ],
            "next": _cursor(rows, limit),
            "asked": asked,
            "debits": debits,
            "tokens": persona.tokens,
        }

    def questions(
        self, id: str, asker: str | None, kind: str | None, step: int | None, after: int, limit: int
    ) -> dict[str, Any]:
        """Return a page of the questions asked, each identified by its event's number."""
        clauses, args = ["kind = 'asked'", "seq > ?"], [after]
        for clause, value in (
            ("actor = ?", asker),
            ("json_extract(payload, '$.question') = ?", kind),
            ("step = ?", step),
        ):
            if value is not None:
                clauses.append(clause)
                args.append(value)  # type: ignore[arg-type]
        where = " and ".join(clauses)
        with self.open(id) as run:
            rows = run.db.execute(
                f"select seq, step, actor, payload from event where {where} order by seq limit ?",
                (*args, limit + 1),
            ).fetchall()
            (total,) = run.db.execute(f"select count(*) from event where {where}", (0, *args[1:])).fetchone()
        found = [
            _question(seq, step, actor, json.loads(payload)) for seq, step, actor, payload in rows[:limit]
        ]
        return {"questions": found, "next": _cursor(rows, limit), "total": total}

    def question(self, id: str, seq: int, compute: bool = True) -> dict[str, Any]:
        """A question with what was sent and replied; what the ledger does not hold is computed again, or left out."""
        found = inspect_question(run_folder(self.root, id), seq, self.settings, self._computed, compute)
        event, sent, shadow = found.event, found.sent, found.shadow
        return {
            **_question(seq, event.step, event.actor, event.payload),
            "messages": sent.messages,
            "schema": sent.reply_schema,
            "replies": [reply.model_dump() for reply in sent.replies],
            "shadow": shadow and {**shadow.model_dump(), "messages": sent.messages},
            "executed": found.executed,
        }

    def chunk(self, id: str, world: str, chunk: str) -> dict[str, Any]:
        """Return a passage of a world with its neighbours and the claims that cite it."""
        with self.open(id) as run:
            chunks = Log(run).chunks(world or None)
            place = next((n for n, one in enumerate(chunks) if one.id == chunk), None)
            if place is None:
                raise UnknownName("passage", chunk, [])
            cited = [
                {"start": cite.start, "end": cite.end, "entry": claim.id, "speaker": claim.speaker}
                for claim in Log(run).claims()
                for cite in claim.cites
                if cite.chunk == chunk
            ]
        one = chunks[place]
        near = {
            n: chunks[n].text
            for n in (place - 1, place + 1)
            if 0 <= n < len(chunks) and chunks[n].source == one.source
        }
        return {
            "world": one.world,
            "chunk": one.id,
            "source": one.source,
            "text": one.text,
            "before": near.get(place - 1, ""),
            "after": near.get(place + 1, ""),
            "cited": cited,
        }


def _describe(surface: Surface, log: Log) -> dict[str, Any]:
    why = surface.shows(log) if surface.shows else True
    names = {persona.id: persona.name for persona in log.personas}
    ids = (
        [] if not surface.per_agent else list(names) if surface.agents is None else list(surface.agents(log))
    )
    return {
        "name": surface.name,
        "form": surface.form,
        "title": surface.title,
        "help": surface.help,
        "group": surface.group,
        "live": surface.live,
        "per_agent": surface.per_agent,
        "agents": [[id, names.get(id, id)] for id in ids[:MOST]],
        "empty": why if isinstance(why, str) else None,
    }


def _question(seq: int, step: int, actor: str | None, payload: dict[str, Any]) -> dict[str, Any]:
    kept = ("subject", "ordinal", "answerer", "outcome", "attempts", "debit", "failure")
    card = {"place": str(seq), "step": step, "asker": actor, "kind": payload["question"]}
    return card | {key: payload.get(key) for key in kept}


def _cursor(rows: Sequence[Sequence[Any]], limit: int) -> str | None:
    """Return the cursor of the next page, or None if no more than `limit` rows were read."""
    return str(rows[limit - 1][0]) if len(rows) > limit else None


def _event_words(payload: Mapping[str, Any]) -> str:
    """Format an event: its text, or its fields as JSON."""
    text = payload.get("text")
    return text if isinstance(text, str) else json.dumps(payload, ensure_ascii=False)[:LETTERS]


def _progress_of(folder: Path) -> list[dict[str, Any]]:
    """Return the progress of the current step's lanes; empty if none was reported."""
    live = read_live(folder)
    if live is None or not live.of:
        return []
    return [{"lane": live.lane, "done": live.done, "of": live.of, "label": live.label, "words": live.spent}]


def _version(run: RunFile) -> int:
    """Return a number that changes with every committed step."""
    row: tuple[int] = run.db.execute("select coalesce(max(number), 0) from step").fetchone()
    return row[0]


def tell_comparison(found: Comparison) -> dict[str, Any]:
    """Convert a comparison for the web app: values by arm, and the first arm against the baseline."""
    measures = []
    for one in found.measures:
        contrast = next(iter(one.contrasts), None)
        measures.append(
            {
                "name": one.measure,
                "values": [arm.mean.value for arm in one.arms],
                "difference": contrast.difference.value if contrast else None,
                "low": contrast.difference.low if contrast else None,
                "high": contrast.difference.high if contrast else None,
                "p": contrast.adjusted.value if contrast else None,
                "reason": contrast.difference.reason if contrast else None,
            }
        )
    return {"arms": [{"id": arm.id, "name": arm.label} for arm in found.arms], "measures": measures}
