"""Data about runs for the web app, read from run folders without ever writing."""

import json
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from openiir.core.errors import DamagedRun, InputError, OpeniirError, UnknownName
from openiir.core.storage import AfterFile, Log, RunFile
from openiir.core.storage.content import SECTIONS
from openiir.core.storage.live_file import read_live
from openiir.plugin import Interview
from openiir.runs.catalogue import name_by_id, read_card, run_folder
from openiir.runs.inspect import inspect_question
from openiir.runs.interviews import answer_text
from openiir.runs.post_run import find_surface, scenario_of, surfaces_of
from openiir.runs.run_io import open_checked
from openiir.runs.settings import Settings
from openiir.runs.validations import judge_statements, read_verdicts, summarise
from openiir.runs.views.paging import MOST, Page
from openiir.runs.views.view_cache import ViewCache, run_version
from openiir.server.card_cache import CardCache
from openiir.server.event_cards import describe_question, event_words
from openiir.server.lookups import find_numbered_passages
from openiir.server.surface_cards import describe_surface, list_agents


class Reader:
    """Reader of the runs below one folder."""

    def __init__(
        self,
        root: Path,
        settings: Settings,
        *,
        keeps_views: bool = True,
    ) -> None:
        self.root = root
        self.cards = CardCache(root, settings.cache)
        self.views = ViewCache(settings.cache, writes=keeps_views)
        self._narrowed: tuple[Any, list[tuple[str, frozenset[str]]]] | None = None
        """Agents by view of the run whose agent was read last."""
        self._held: tuple[str, RunFile] | None = None

    @contextmanager
    def open(self, id: str) -> Iterator[RunFile]:
        """Open a run for reading; raises UnknownName, or DamagedRun where it or its type cannot be read."""
        with _explain_failures(id):
            if self._held and self._held[0] == id:
                yield self._held[1]
                return
            with RunFile.open(run_folder(self.root, id)) as run:
                yield run

    @contextmanager
    def hold(self, id: str) -> Iterator[RunFile]:
        """Keep a run open while one thread reads much of it."""
        with self.open(id) as run:
            self._held = id, run
            try:
                yield run
            finally:
                self._held = None

    def describe(self, id: str) -> dict[str, Any]:
        """Return the card of a run with its study, surfaces, interviews and step labels."""
        folder = run_folder(self.root, id)
        card = read_card(id, folder).model_dump(mode="json")
        if card["state"] == "damaged":
            return card
        with self.open(id) as run:
            log, scenario = Log(run), scenario_of(run)
            people = dict(log.persona_names())
            surfaces = surfaces_of(scenario).values()
            return {
                **card,
                "about": (scenario.__doc__ or "").strip().partition("\n")[0],
                "study": run.study(),
                "people": [list(one) for one in people.items()],
                "progress": _progress_of(folder),
                "surfaces": [describe_surface(surface, log, people) for surface in surfaces],
                "interviews": [
                    {"name": one.name, "title": one.title}
                    for one in scenario.surfaces()
                    if isinstance(one, Interview) and people
                ],
                "labels": log.timed_steps(),
            }

    def page(self, id: str, name: str, agent: str | None = None, **part: Any) -> Page:
        """Return a page of a view; `part` (agent, cursor, step) is as for `ViewCache.page`."""
        with self.open(id) as run:
            return self.views.page(run, name, agent, **{"limit": MOST, **part})

    def measures(self, id: str) -> list[dict[str, Any]]:
        """Return the measures of a finished run; empty for one that has not ended."""
        with self.open(id) as run:
            return self.views.measures(run)

    def search(self, id: str, words: str, **part: Any) -> dict[str, Any]:
        """Return a page of a finished run's texts that contain all words; `part` as in `ViewCache.search`."""
        with self.open(id) as run:
            return self.views.search(run, words, **part)

    def check(self, id: str) -> dict[str, Any]:
        """Check a run's record against its manifest: `ok`, the reason, and the rows of each section."""
        folder = run_folder(self.root, id)
        try:
            with open_checked(folder) as run:
                rows = {
                    name: run.db.execute(f"select count(*) from {table}").fetchone()[0]
                    for name, (table, *_) in SECTIONS.items()
                }
        except OpeniirError as error:
            return {"ok": False, "reason": name_by_id(error, id, folder), "rows": {}}
        return {"ok": True, "reason": "", "rows": rows}

    def agents(self, id: str, view: str, words: str, after: int, limit: int) -> dict[str, Any]:
        """Return a page of the agents of a view, or of the run, whose name or id holds the words."""
        with self.open(id) as run:
            log = Log(run)
            people = log.persona_names()
            named = list_agents(find_surface(run, view), log, dict(people)) if view else people
        sought = words.strip().lower()
        found = [one for one in named if sought in f"{one[1]} {one[0]}".lower()]
        more = after + limit < len(found)
        return {
            "agents": found[after : after + limit],
            "total": len(found),
            "next": str(after + limit) if more else None,
        }

    def agent(self, id: str, agent: str, after: int, limit: int) -> dict[str, Any]:
        """Return a persona with a page of its events, the number of its questions, and the tokens it spent.

        Of the persona, what prompts tell: without its budget, which stands beside, and without defaults.
        """
        with self.open(id) as run:
            log = Log(run)
            found = log.persona(agent)
            if found is None:
                people = log.persona_names()
                if not people:
                    raise InputError(f"nobody in the run {id!r} has a page: its study names no personas")
                raise UnknownName(f"agent of the run {id!r}", agent, dict(people))
            rows = run.db.execute(
                "select seq, step, kind, payload from event where actor = ? and seq > ? order by seq limit ?",
                (agent, after, limit + 1),
            ).fetchall()
            asked, debits = run.db.execute(
                "select count(*), coalesce(sum(json_extract(payload, '$.debit')), 0) from event "
                "where +kind = 'asked' and actor = ?",
                (agent,),
            ).fetchone()
            persona = scenario_of(run).describe(log, found)
            views = [name for name, agents in self._list_narrowed(run) if agent in agents]
        told = persona.model_dump(mode="json", exclude_defaults=True, exclude={"tokens"})
        return {
            "persona": told,
            "events": [
                {"seq": seq, "step": step, "kind": kind, "text": event_words(json.loads(payload))}
                for seq, step, kind, payload in rows[:limit]
            ],
            "next": _cursor(rows, limit),
            "asked": asked,
            "debits": debits,
            "tokens": persona.tokens,
            "views": views,
        }

    def _list_narrowed(self, run: RunFile) -> list[tuple[str, frozenset[str]]]:
        """List the views of a run that can be narrowed to an agent, each with the ids of these agents."""
        version = run.folder, *run_version(run)
        if self._narrowed is None or self._narrowed[0] != version:
            log = Log(run)
            people, surfaces = dict(log.persona_names()), surfaces_of(scenario_of(run)).values()
            found = [
                (one.name, frozenset(id for id, _ in list_agents(one, log, people)))
                for one in surfaces
                if one.per_agent
            ]
            self._narrowed = version, found
        return self._narrowed[1]

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
                f"select seq, step, actor, lane, payload from event where {where} order by seq limit ?",
                (*args, limit + 1),
            ).fetchall()
            (total,) = run.db.execute(f"select count(*) from event where {where}", (0, *args[1:])).fetchone()
            found = [
                describe_question(seq, step, actor, lane, json.loads(payload))
                for seq, step, actor, lane, payload in rows[:limit]
            ]
        return {"questions": found, "next": _cursor(rows, limit), "total": total}

    def question(self, id: str, seq: int) -> dict[str, Any]:
        """Return a question with all that was sent and received."""
        with self.open(id) as run:
            found = inspect_question(run, seq)
            event, sent, shadow = found.event, found.sent, found.shadow
            card = describe_question(seq, event.step, event.actor, event.lane, event.payload)
            passages = find_numbered_passages(run, (one["text"] for one in sent.messages))
        return {
            **card,
            "messages": sent.messages,
            "schema": sent.reply_schema,
            # Details name endpoints, which are settings, and no exported page could be made again from them.
            "replies": [reply.model_dump(exclude={"details"}) for reply in sent.replies],
            "shadow": shadow and {**shadow.model_dump(exclude={"details"}), "messages": sent.messages},
            "restored": found.restored,
            "passages": passages,
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
        before, after = (
            chunks[n].text if 0 <= n < len(chunks) and chunks[n].source == one.source else ""
            for n in (place - 1, place + 1)
        )
        return {
            "world": one.world,
            "chunk": one.id,
            "source": one.source,
            "text": one.text,
            "before": before,
            "after": after,
            "cited": cited,
        }

    def interviews(self, id: str) -> dict[str, Any]:
        """List the interviews of a finished run in order, with the text of each answer; never writes."""
        with self.open(id) as run:
            after = AfterFile.read(run.folder, str(run.state("content")))
            names = {persona.id: persona.name for persona in run.personas()}
        with after or nullcontext():
            found = after.interviews() if after else []
        return {
            "interviews": [
                {
                    **one._asdict(),
                    "name": names.get(one.agent, one.agent),
                    "reply": one.reply and answer_text(json.loads(one.reply)),
                    "prompt": json.loads(one.prompt),
                }
                for one in found
            ]
        }

    def validations(self, id: str, agent: str) -> dict[str, Any]:
        """Return statements, of an agent or the reports, with people's verdicts and how far they agree."""
        with self.open(id) as run:
            statements, verdicts = judge_statements(run, agent), read_verdicts(run)
        return {
            "statements": [
                {"id": one.id, "text": one.text, "verdicts": [given._asdict() for given in one.verdicts]}
                for one in statements
            ],
            "agreement": summarise(verdicts).model_dump(),
            "judged": sorted({given.agent for given in verdicts}),
        }


@contextmanager
def _explain_failures(id: str) -> Iterator[None]:
    """Turn errors of a type's code or a changed record into DamagedRun, with a traceback in the log."""
    try:
        yield
    except OpeniirError:
        raise
    except Exception as error:
        logging.getLogger("uvicorn.error").exception("%s cannot be shown", id)
        words = f"{type(error).__name__}: {error}"
        raise DamagedRun(
            f"{id} cannot be shown ({words}); openiir verify tells whether it was changed"
        ) from None


def _cursor(rows: Sequence[Sequence[Any]], limit: int) -> str | None:
    """Return the cursor of the next page, or None if no more than `limit` rows were read."""
    return str(rows[limit - 1][0]) if len(rows) > limit else None


def _progress_of(folder: Path) -> list[dict[str, Any]]:
    """Return the progress of the current step's lanes; empty if none was reported."""
    live = read_live(folder)
    if live is None or not live.of:
        return []
    return [{"lane": live.lane, "done": live.done, "of": live.of, "label": live.label, "words": live.spent}]
