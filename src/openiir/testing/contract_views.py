"""Contract tests of what is computed from a finished run: measures, surfaces, interviews."""

import inspect
import json
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from openiir.core.asking import Question
from openiir.core.hashing import canonical
from openiir.core.storage import Log
from openiir.plugin import FORM_RECORDS, Entry, Interview, Measure, Surface
from openiir.plugin.definitions import bound_measure
from openiir.runs.views.paging import compute_view, cut_page, divide_view
from openiir.testing import probing
from openiir.testing.offline import Finished
from openiir.testing.own_log import OwnLog
from openiir.testing.subject import Subject

TIMELINES = ("timeline", "dialogue")


class ViewContract(Subject):
    """Contract tests that measures, surfaces and interviews are functions of the log."""

    def test_measures_are_functions_of_the_log(self, finished: Finished) -> None:
        first = dict(self.type().metrics(finished.log))
        again = dict(self.type().metrics(finished.log))
        assert list(first) == list(again) and first, (
            f"metrics() should give the same measures each time, it gives {list(first)}, then {list(again)}; "
            "compute them from the log alone"
        )
        for name, measure in first.items():
            assert isinstance(measure, Measure), (
                f"{name} should be a Measure, it is {measure!r}; write Measure(value)"
            )
            assert canonical(measure.as_json()) == canonical(again[name].as_json()), (
                f"{name} changes when read again, {measure.value}, {again[name].value}; use the log alone"
            )

    def test_undefined_measures_say_why(self, finished: Finished) -> None:
        for name, measure in self.type().metrics(finished.log).items():
            assert not math.isinf(measure.value), f"{name} is infinite; make it undefined with a reason"
            assert measure.defined or measure.reason, (
                f"{name} is NaN without a reason; give Measure its reason"
            )

    def test_measures_lie_within_their_bounds(self, finished: Finished) -> None:
        for name, measure in self.type().metrics(finished.log).items():
            low, high = bound_measure(self.type.definitions, name)
            assert not measure.defined or low - 1e-9 <= measure.value <= high + 1e-9, (
                f"{name} is {measure.value:g}, and definitions has it lie from {low:g} to {high:g}; correct "
                "either, since intervals end at these bounds"
            )

    # Surfaces

    def _surfaces(self) -> list[Surface]:
        return [s for s in self.type().surfaces() if isinstance(s, Surface)]

    def test_surfaces_have_names_of_their_own(self) -> None:
        names = Counter(s.name for s in self.type().surfaces())
        assert names, "surfaces() is empty: nothing of a run can be seen; return a Surface"
        assert max(names.values()) == 1, f"a name is used twice: {dict(names)}; give each surface its own"

    def test_surfaces_give_their_form(self, finished: Finished) -> None:
        for surface in self._surfaces():
            drawn = (_view_parts(surface, finished.log) for _ in range(2))
            first, again = ([part.model_dump_json() for part in parts] for parts in drawn)  # NaN equals NaN
            assert first == again, (
                f"{surface.name} changes when it is drawn again; let the view depend on the log alone"
            )

    def test_whole_graphs_give_their_form(self, finished: Finished) -> None:
        for surface in (one for one in self._surfaces() if one.whole):
            assert surface.whole and surface.form in ("tree", "graph"), (
                f"{surface.name}: a {surface.form} has no whole; leave it to trees and graphs"
            )
            _view_parts(replace(surface, view=surface.whole), finished.log)

    def test_surfaces_stand_a_run_under_way(self, finished: Finished) -> None:
        for step in (0, 1, len(finished.log.steps()) // 2):
            for surface in self._surfaces():
                _view_parts(surface, Log(finished.run, until=step))

    def test_surfaces_that_grow_take_since(self, finished: Finished) -> None:
        last = len(finished.log.steps())
        for surface in self._surfaces():
            grows, takes = surface.live == "append", "since" in inspect.signature(surface.view).parameters
            assert grows == takes, (
                f'{surface.name}: live is "{surface.live}"; views with live = "append" alone take `since`'
            )
            assert not grows or surface.form in TIMELINES, (
                f'{surface.name}: a {surface.form} cannot be appended to; leave live = "append" to timelines'
            )
            for step in (0, 1, last // 2, last) if grows else ():
                whole = _view_parts(surface, finished.log)
                part = _view_parts(surface, finished.log, since=step)
                wanted = [e for e in whole if e.step > step]
                assert part == wanted, (
                    f"{surface.name}: since={step} is not what came after that step: {len(part)} entries, "
                    f"not {len(wanted)}; leave out steps up to `since`"
                )

    def test_surfaces_are_explained(self, finished: Finished) -> None:
        for surface in self._surfaces():
            assert not surface.help or surface.help.endswith("."), (
                f"{surface.name}: help should be a sentence, it is {surface.help!r}; end it with a full stop"
            )
            why = surface.shows(finished.log) if surface.shows else True
            assert why is True or (isinstance(why, str) and why), (
                f"{surface.name}: shows() gives {why!r}; return True, or say why nothing is shown"
            )

    def test_surfaces_are_read_page_by_page(self, finished: Finished) -> None:
        for surface in self._surfaces():
            view = divide_view(compute_view(surface, finished.log))
            whole = cut_page(surface, view, 0, limit=2**31)
            assert json.loads(json.dumps(whole.body, allow_nan=False)) == whole.body, (
                f"{surface.name} does not survive JSON; give text, finite numbers and None alone"
            )
            (cut,) = [key for key in ("entries", "rows", "items", "nodes") if key in whole.body] or [""]
            if not cut or not whole.body[cut] or surface.form in ("graph", "matrix"):
                continue
            page = cut_page(surface, view, 0, limit=(limit := max(1, whole.total // 3)))
            joined = page.body[cut]
            while page.next is not None:
                page = cut_page(surface, view, 0, page.next, limit)
                joined += page.body[cut]
            assert joined == whole.body[cut], (
                f"{surface.name}: its pages joined are not the whole; let the view depend on the log alone"
            )

    def test_surfaces_narrow_to_an_agent(self, finished: Finished) -> None:
        for surface in self._surfaces():
            takes = "agent" in inspect.signature(surface.view).parameters
            assert takes or not surface.per_agent, (
                f"{surface.name} is per_agent, but its view takes no `agent`; add agent=None"
            )
            for persona in finished.log.personas if surface.per_agent else ():
                view = _view_parts(surface, finished.log, agent=persona.id)
                if surface.form in TIMELINES:
                    whole = _view_parts(surface, finished.log)
                    more = [e for e in view if e not in whole]
                    assert not more, (
                        f"{surface.name}: --agent {persona.id} shows what the whole lacks; add no {more[0]}"
                    )

    def test_links_of_views_lead_to_what_the_run_holds(self, finished: Finished) -> None:
        log = finished.log
        members, names = log.members, {persona.name for persona in log.personas}
        personas = {persona.id for persona in log.personas}
        known: dict[str, Any] = {
            "agent": _Known(lambda id: id in personas or id in members),
            "claim": {claim.id for claim in log.claims()},
            "chunk": {chunk.id for chunk in log.chunks()},
            "question": {str(event.seq) for event in log.events("asked")},
        }
        texts = {(chunk.world, chunk.id): chunk.text for chunk in log.chunks()}
        for surface in self._surfaces():
            body = cut_page(surface, divide_view(compute_view(surface, log)), 0, limit=2**31).body
            parts = [*body.get("entries", ()), *body.get("nodes", ())]
            known["entry"] = {one["id"] for one in parts}
            for one in parts:
                refs = [(ref["to"], ref["id"]) for ref in one.get("refs", ())]
                refs += [("question", one["of"])] if one.get("of") else []
                refs += [("agent", one["agent"])] if one.get("agent") else []
                assert one.get("agent") or one.get("actor") not in names, (
                    f"{surface.name}: entry {one['id']} is by {one.get('actor')!r}, a name that several may "
                    "have; give the actor's id as `agent`"
                )
                lost = [f"{to} {id}" for to, id in refs if to in known and id not in known[to]]
                assert not lost, (
                    f"{surface.name}: entry {one['id']} refers to {', '.join(lost)}, which this run does not "
                    "have; refer by the ids of personas, claims, chunks and entries"
                )
                for cite in one.get("cites", ()):
                    text = texts.get((cite["world"], cite["chunk"]), "")
                    assert 0 <= cite["start"] < cite["end"] <= len(text), (
                        f"{surface.name}: entry {one['id']} cites {cite}, which is no stretch of a passage; "
                        "name the world of the chunk, and count from the start of its text"
                    )

    def test_tables_refer_to_agents_by_id(self, finished: Finished) -> None:
        log = finished.log
        members, personas = log.members, {persona.id: persona.name for persona in log.personas}
        for surface in (one for one in self._surfaces() if one.form == "table"):
            (view,) = _view_parts(surface, log)
            for n, column in enumerate(view.columns):
                cells = {row[n] for row in view.rows} - {"", None}
                if column.kind == "agent":
                    lost = sorted(cell for cell in cells if cell not in personas and cell not in members)
                    assert not lost, (
                        f"{surface.name}: the column {column.name!r} names {', '.join(map(str, lost))}, whom "
                        "this run does not have; give ids of agents, and their names as the table's `labels`"
                    )
                assert column.kind == "agent" or not cells or not cells <= set(personas.values()), (
                    f"{surface.name}: the column {column.name!r} holds names of agents, which several may "
                    "share; give "
                    'their ids, kind="agent", and the names as the table\'s `labels`'
                )

    def test_surfaces_count_from_the_first(self, finished: Finished) -> None:
        for surface in (one for one in self._surfaces() if one.counts):
            whole, last = _view_parts(surface, finished.log), 0
            for n in (1, 2):
                part = _view_parts(surface, finished.log, n=n)
                assert part == whole[: len(part)], (
                    f"{surface.name}: n={n} does not give the first {surface.counts}; cut the whole there"
                )
                assert last < len(part) or part == whole, (
                    f"{surface.name}: n={n} gives no more than n={n - 1}; count {surface.counts}, not entries"
                )
                last = len(part)

    # Interviews

    def test_interviews_know_what_the_agent_did_and_heard_alone(self, finished: Finished) -> None:
        for interview in (s for s in self.type().surfaces() if isinstance(s, Interview)):
            for persona in finished.log.personas:
                own = OwnLog(finished.run, persona.id, interview.heard)
                for what, log in (("own part", own), ("whole log", finished.log)):
                    question = interview.question(log, persona, self.asked)
                    assert isinstance(question, Question), (
                        f"{interview.name} gives {question!r} for the {what}; return a Question"
                    )
                    if log is own:
                        expected, stated = (
                            question.facts_only.prompt(),
                            list(interview.statements(log, persona.id)),
                        )
                assert question.facts_only.prompt() == expected, (
                    f"{interview.name} shows {persona.id} what others did; build the question from its own "
                    "entries, or declare what everybody hears"
                )
                given = list(interview.statements(finished.log, persona.id))
                assert given == stated, (
                    f"{interview.name} asks {persona.id} to validate what others stated; give its own alone"
                )
                assert len(dict(given)) == len(given), (
                    f"{interview.name}: two statements of {persona.id} have one id; number them"
                )

    def test_interviews_can_be_answered_offline(self, finished: Finished) -> None:
        for interview in (s for s in self.type().surfaces() if isinstance(s, Interview)):
            for persona in finished.log.personas:
                asked = probing.place_after_run(
                    interview.question(finished.log, persona, self.asked), persona
                )
                assert (wrong := probing.explain_unusable(asked) or probing.explain_impure(asked)) is None, (
                    f"{interview.name}: {wrong}; mend offline() of {type(asked.question).__name__}"
                )
                assert not (loose := probing.find_unbounded(asked.question)), (
                    f"{interview.name}: a model could run on; give bounds to {', '.join(loose)}"
                )


class _Known:
    """The ids that pass a test, as a container."""

    def __init__(self, test: Callable[[str], bool]) -> None:
        self._test = test

    def __contains__(self, id: object) -> bool:
        return isinstance(id, str) and self._test(id)


def _view_parts(surface: Surface, log: Log, **narrowed: Any) -> list[Any]:
    """List a surface's entries, or its one view, checked against its declared form."""
    try:
        view = surface.view(log, **narrowed)
    except Exception as error:
        raise AssertionError(
            f"{surface.name}, asked for {narrowed or 'the whole'}, raised {type(error).__name__}: {error}; "
            "mend the view, which has to stand a run of which little has happened"
        ) from error
    form = FORM_RECORDS[surface.form]
    parts = list(view) if surface.form in TIMELINES and not isinstance(view, Entry) else [view]
    wrong = next((part for part in parts if not isinstance(part, form)), None)
    assert wrong is None, (
        f"{surface.name} is declared a {surface.form}, but gives {wrong!r:.80}; return {form[0].__name__}"
    )
    return parts
