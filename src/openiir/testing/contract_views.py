"""The contract of what is read from a finished run: measures, surfaces, interviews."""

import inspect
import json
import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

from openiir.core.asking import Question
from openiir.core.hashing import canonical
from openiir.core.storage import Log
from openiir.plugin import Entry, Graph, Interview, Measure, Ranking, Report, Series, Surface, Table
from openiir.testing import probing
from openiir.testing.offline import Finished
from openiir.testing.others import OwnLog
from openiir.testing.subject import Subject

FORMS: Mapping[str, Any] = {"graph": Graph, "series": Series, "table": Table, "ranking": Ranking, "report": Report}


class ViewContract(Subject):
    """Measures, surfaces and interviews are functions of the log."""

    def test_measures_are_functions_of_the_log(self, finished: Finished) -> None:
        first = dict(self.type().metrics(finished.log))
        again = dict(self.type().metrics(finished.log))
        assert list(first) == list(again) and first, "metrics() gives no measures, or others each time"
        for name, measure in first.items():
            assert isinstance(measure, Measure), f"{name} is no Measure: {measure!r}"
            assert canonical(measure.as_json()) == canonical(again[name].as_json()), (
                f"{name} changes when read again"
            )

    def test_undefined_measures_say_why(self, finished: Finished) -> None:
        for name, measure in self.type().metrics(finished.log).items():
            assert not math.isinf(measure.value), f"{name} is infinite; make it undefined with a reason"
            assert measure.defined or measure.reason, f"{name} is NaN without a reason"

    # Surfaces

    def _surfaces(self) -> list[Surface]:
        return [s for s in self.type().surfaces() if isinstance(s, Surface)]

    def test_surfaces_have_names_of_their_own(self) -> None:
        names = Counter(s.name for s in self.type().surfaces())
        assert names, "surfaces() is empty: nothing of a run can be seen"
        assert max(names.values()) == 1, f"a name is used twice: {names}"

    def test_surfaces_give_their_form(self, finished: Finished) -> None:
        for surface in self._surfaces():
            view = surface.view(finished.log)
            _check_form(surface, view)
            assert surface.view(finished.log) == view, f"{surface.name} changes when it is drawn again"

    def test_surfaces_stand_a_run_under_way(self, finished: Finished) -> None:
        for step in (0, 1, len(finished.log.steps()) // 2):
            for surface in self._surfaces():
                _check_form(surface, surface.view(Log(finished.run, until=step)))

    def test_surfaces_take_since(self, finished: Finished) -> None:
        last = len(finished.log.steps())
        for surface in self._surfaces():
            if "since" not in inspect.signature(surface.view).parameters:
                continue
            whole = surface.view(finished.log)
            assert surface.view(finished.log, since=0) == whole, f"{surface.name}: since=0 is not the whole"
            for step in (1, last // 2, last):
                part = surface.view(finished.log, since=step)
                _check_form(surface, part)
                if surface.form == "timeline":
                    wanted = [e for e in _entries(whole) if e.step > step]
                    assert _entries(part) == wanted, (
                        f"{surface.name}: since={step} is not what came after that step"
                    )

    def test_surfaces_narrow_to_an_agent(self, finished: Finished) -> None:
        for surface in self._surfaces():
            takes = "agent" in inspect.signature(surface.view).parameters
            assert takes or not surface.per_agent, (
                f"{surface.name} is per_agent, but its view takes no `agent`"
            )
            for persona in finished.log.personas if surface.per_agent else ():
                view = surface.view(finished.log, agent=persona.id)
                _check_form(surface, view)
                if surface.form == "timeline":
                    whole = _entries(surface.view(finished.log))
                    assert all(e in whole for e in _entries(view)), (
                        f"{surface.name}: --agent shows what the whole lacks"
                    )

    def test_surfaces_count_from_the_first(self, finished: Finished) -> None:
        for surface in (one for one in self._surfaces() if one.counts):
            whole, last = _entries(surface.view(finished.log)), 0
            for n in (1, 2):
                part = _entries(surface.view(finished.log, n=n))
                assert part == whole[: len(part)], f"{surface.name}: n={n} does not give the first {surface.counts}"
                assert last < len(part) or part == whole, f"{surface.name}: n={n} gives no more than n={n - 1}"
                last = len(part)

    # Interviews

    def test_interviews_know_the_agents_own_part_alone(self, finished: Finished) -> None:
        for interview in (s for s in self.type().surfaces() if isinstance(s, Interview)):
            for persona in finished.log.personas:
                own = OwnLog(finished.run, persona.id)
                for what, log in (("own part", own), ("whole log", finished.log)):
                    question = interview.question(log, persona, self.asked)
                    assert isinstance(question, Question), (
                        f"{interview.name} builds no Question from the {what}"
                    )
                    if log is own:
                        expected, stated = question.facts.prompt(), list(interview.statements(log, persona.id))
                assert question.facts.prompt() == expected, f"{interview.name} shows {persona.id} what others did"
                given = list(interview.statements(finished.log, persona.id))
                assert given == stated, f"{interview.name} asks {persona.id} to validate what others stated"
                assert len(dict(given)) == len(given), f"{interview.name}: two statements have one id"

    def test_interviews_can_be_answered_offline(self, finished: Finished) -> None:
        for interview in (s for s in self.type().surfaces() if isinstance(s, Interview)):
            for persona in finished.log.personas:
                asked = probing.outside_a_run(interview.question(finished.log, persona, self.asked), persona)
                assert (wrong := probing.unusable(asked) or probing.impure(asked)) is None, (
                    f"{interview.name}: {wrong}"
                )
                assert not (loose := probing.unbounded(asked.question)), f"{interview.name}: {loose}"


def _entries(view: Any) -> list[Entry]:
    return [view] if isinstance(view, Entry) else list(view)


def _check_form(surface: Surface, view: Any) -> None:
    """The declared form, as JSON."""
    if surface.form == "timeline":
        entries = _entries(view)
        assert all(isinstance(e, Entry) for e in entries), f"{surface.name} is a timeline, but gives {view!r}"
        plain = [e.model_dump(mode="json") for e in entries]
    else:
        form = FORMS[surface.form]
        assert isinstance(view, form), (
            f"{surface.name} is declared a {surface.form}, but gives {view.__class__.__name__}"
        )
        plain = view.model_dump(mode="json")
    json.dumps(plain, allow_nan=False)
