"""Contract tests of runs: configuration, seeds, replay, resume, changes, budgets, actions."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from openiir.core.errors import InputError, OpeniirError
from openiir.core.hashing import canonical
from openiir.core.storage import Log
from openiir.core.toml import validate_record
from openiir.plugin import Action
from openiir.runs.audit import audit_keys, run_controls
from openiir.runs.changes import Change, Terms, find_terms
from openiir.runs.moments import plan_steps
from openiir.runs.study import LoadedStudy
from openiir.runs.types import load_registered_type
from openiir.testing import probing
from openiir.testing.offline import (
    Finished,
    replay_offline,
    run_loaded,
    run_with_stops,
    vary_study,
)
from openiir.testing.subject import Subject

ActionType = type[Action]
PLATFORM = frozenset(
    {"asked", "shadow", "lookup", "joined", "left", "changed", "restated", "clock", "event"}
    | {"population", "promoted"}
)
"""Kinds of events that the platform itself writes."""
MOST_STOPS = 8
"""Largest number of steps after which a run is stopped and resumed."""


class RunContract(Subject):
    """Contract tests of a scenario type's runs (seeds, replay, resume, checkpoints)."""

    def test_is_found_by_name(self) -> None:
        listed, wanted = (
            load_registered_type(self.type.name),
            f"{self.type.__module__}:{self.type.__qualname__}",
        )
        if listed is None:
            pytest.skip(
                f"no installed package has an entry point {self.type.name!r}, so studies do not find {wanted}"
            )
        assert listed.scenario is self.type, (
            f"the entry point {self.type.name!r} of {listed.origin} should lead to {wanted}, it leads to "
            f"{listed.broken or listed.scenario}; mend pyproject.toml and install the package anew"
        )

    def test_defaults_are_valid(self, loaded: LoadedStudy) -> None:
        config = self.type.Config
        values = loaded.config.model_dump(mode="json")
        validate_record(config, values, "the study's configuration, written and read again")
        for name, field in config.model_fields.items():
            if not field.is_required():
                default = {**values, name: field.get_default(call_default_factory=True)}
                with _no_error(f"give {name} a default that Config accepts"):
                    validate_record(config, default, f"the default of {name}")

    def test_unknown_key_is_refused(self, loaded: LoadedStudy) -> None:
        try:
            validate_record(
                self.type.Config, {**loaded.config.model_dump(mode="json"), "no_such_key": 1}, "config"
            )
        except InputError as error:
            assert "no_such_key" in str(error), (
                f"an unknown key should be named, this is said: {error}; keep Record's settings"
            )
        else:
            pytest.fail(
                "Config should refuse a key that it does not know, no_such_key; keep Record's settings"
            )

    def test_structural_keys_exist(self) -> None:
        tables = {key: key.split(".")[0].removesuffix("[]") for key in self.type.structural}
        unknown = sorted(key for key, table in tables.items() if table not in self.type.Config.model_fields)
        assert not unknown, f"structural names {unknown}, which Config does not have; correct or remove them"

    def test_every_key_acts(self, loaded: LoadedStudy) -> None:
        if not self.audited:
            pytest.skip("another study of this type is audited")
        idle = [f"{v.key} ({v.status}): {v.words}" for v in audit_keys(loaded) if v.status != "acts"]
        assert not idle, (
            "moving a key should change something that happens offline; of these no value tried does. Have "
            "an offline answer or schedule() use them, remove them, or say in acts_with what they need:\n"
            + "\n".join(idle)
        )

    def test_controls_show_what_they_must(self, loaded: LoadedStudy) -> None:
        """Run the null and positive controls that the type declares, and its twins."""
        if not self.audited:
            return
        for found in run_controls(loaded):
            assert found.holds, (
                f"{found.control.says}: {found.control.measure} {found.words}; a null is 0 or within what it "
                "declares, so let arms differ by what tells them apart alone and draw by names without the "
                "arm; a positive control is at least what it declares"
            )

    # The run

    def test_same_seed_same_content(self, loaded: LoadedStudy, finished: Finished, tmp_path: Path) -> None:
        again = run_loaded(loaded, tmp_path / "again")
        again.run.close()
        differing = _differing(finished, again)
        assert again.content == finished.content, (
            f"two runs under one seed differ in their {differing}; draw by name from the question's draw or "
            "stage.draw, and keep nothing outside schedule()"
        )

    def test_another_seed_another_content(
        self, loaded: LoadedStudy, finished: Finished, tmp_path: Path
    ) -> None:
        if not self.seeded:
            pytest.skip("this type declares that nothing in it depends on the seed")
        other = run_loaded(vary_study(loaded, seed=loaded.study.seed + 1), tmp_path / "other")
        other.run.close()
        assert _differing(finished, other) != ["study"], (
            "another seed gives the same run: nothing is drawn; draw where people vary, or set seeded = False"
        )

    def test_replay_agrees(self, finished: Finished) -> None:
        with _no_error("a run should replay from its record; let schedule() depend on the stage alone"):
            replay_offline(finished.folder)

    def test_planned_steps_are_those_of_the_run(self, loaded: LoadedStudy, finished: Finished) -> None:
        terms = Terms(loaded.config, loaded.study.answers)
        planned = plan_steps(loaded.scenario, terms, loaded.study.change, loaded.study.name)
        taken = tuple(label for _, label in finished.log.steps())
        if isinstance(planned, int):
            assert planned == 0 or len(taken) <= planned, (
                f"the run took {len(taken)} steps, and planned_steps() says at most {planned}; count those "
                "that schedule() yields, and one more where it logs something after the last"
            )
        else:
            assert planned == taken[: len(planned)] and taken[len(planned) :] in ((), ("end",)), (
                f"planned_steps() lists {planned}, the run took {taken}; list the labels that schedule() "
                "yields, or return their largest number"
            )

    def test_events_leave_the_names_of_moments_alone(self) -> None:
        for kind, record in self.type.events.items():
            taken = sorted({"kind", "step", "at"} & record.model_fields.keys())
            assert not taken, (
                f"the event {kind!r} has the field {taken}, which names its kind or moment; rename it"
            )

    def test_resume_agrees_after_a_stop_at_each_step(
        self, loaded: LoadedStudy, finished: Finished, tmp_path: Path
    ) -> None:
        assert any(label != "end" for _, label in finished.log.steps()), (
            "schedule() yields no Step, so no run can be stopped and resumed; yield one after each round"
        )
        remedy = "a run that was stopped and resumed differs; keep nothing outside the stage and schedule()"
        _check_stops(loaded, finished, tmp_path, remedy, checkpoints=False)

    def test_resume_from_a_checkpoint_agrees(
        self, loaded: LoadedStudy, finished: Finished, tmp_path: Path
    ) -> None:
        if not finished.keeps:
            pytest.skip("this type keeps nothing for a checkpoint")
        remedy = "a run that goes on from stage.restored differs; give stage.keep all of the type's state"
        _check_stops(loaded, finished, tmp_path, remedy, checkpoints=True)

    def test_change_to_the_same_value_changes_nothing(
        self, loaded: LoadedStudy, finished: Finished, tmp_path: Path
    ) -> None:
        step, study = min(2, len(finished.log.steps())), loaded.study
        terms = find_terms(
            loaded.scenario, Terms(loaded.config, study.answers), study.change, step, study.name
        )
        values = terms.config.model_dump(mode="json")
        same = {k: v for k, v in values.items() if k not in self.type.structural and v is not None}
        if not same:
            pytest.skip("every key of Config is structural")
        change = (*study.change, Change(step=step, set=same))
        changed = run_loaded(vary_study(loaded, change=change), tmp_path / "changed")
        with changed.run:
            differing = {*_differing(finished, changed)} - {"study", "events"}
            assert _events_but_changes(changed.log) == _events_but_changes(finished.log) and not differing, (
                f"setting keys at step {step} to the values they have changes "
                f"{', '.join(differing) or 'what happens'}; "
                "look at what a key is now, not at whether it was changed"
            )

    def test_agents_may_share_a_memory(self, loaded: LoadedStudy, tmp_path: Path) -> None:
        if not self.type.shares:
            return
        people = tuple(one.model_copy(update={"memory": "shared:everybody"}) for one in loaded.personas)
        together = replace(loaded, personas=people)
        finished = run_loaded(together, tmp_path / "shared")
        with finished.run:
            remedy = "a run whose agents share a memory differs after a stop; make their memories by one pool"
            _check_stops(together, finished, tmp_path, remedy, checkpoints=finished.keeps, most=3)

    def test_budgets_add_up(self, finished: Finished) -> None:
        if self.lives_apart:
            self._check_lives(finished)
            return
        debits: Counter[str | None] = Counter()
        for event in finished.log.events("asked"):
            debits[event.actor] += event.payload["debit"]
        searches = Counter(s.asker for s in finished.log.searches() if s.refused is None)
        for persona, left in finished.left:
            spent = (persona.tokens - left.tokens, persona.searches - left.searches)
            logged = (debits[persona.id], searches[persona.id])
            assert spent == logged, (
                f"{persona.id} spent {spent} tokens and searches, the log tells of {logged}; ask and search "
                "through the "
                "stage, which debits and logs, or set lives_apart where each lane makes its own agents"
            )

    def _check_lives(self, finished: Finished) -> None:
        """Check that no lane costs more than a budget, and that the stage's own agents pay nothing."""
        spent: Counter[tuple[str, str | None]] = Counter()
        for event in finished.log.events("asked"):
            spent[event.lane, event.actor] += event.payload["debit"]
        for persona, left in finished.left:
            assert left.tokens == persona.tokens, (
                f"{persona.id} should pay in its lanes alone, and paid {persona.tokens - left.tokens} tokens "
                "on the stage; "
                "make an agent of each life's own by Agent.of(persona), or set lives_apart = False"
            )
            most = max((n for (_, who), n in spent.items() if who == persona.id), default=0)
            assert most <= persona.tokens, (
                f"{persona.id} spent {most} of {persona.tokens} tokens in one lane; make one agent a life"
            )

    # Actions

    def test_actions_are_declared_and_read_back(self, finished: Finished) -> None:
        declared = self._actions_by_kind()
        for event in finished.log.events():
            if event.kind in PLATFORM:
                continue
            assert event.kind in declared, (
                f"the log holds {event.kind!r}, which actions() does not declare; add its class"
            )
            again = json.loads(canonical(declared[event.kind].model_validate(event.payload)))
            assert again == event.payload, (
                f"{event.kind} was written as {event.payload} and reads as {again}; log its declared class"
            )

    def test_action_kinds_name_their_type(self) -> None:
        for kind in self._actions_by_kind():
            assert kind.startswith(f"{self.type.name}."), (
                f"an action's kind begins with its type's name; call {kind!r} {self.type.name}.{kind}"
            )

    def _actions_by_kind(self) -> dict[str, ActionType]:
        actions = self.type().actions()
        declared = {action.kind: action for action in actions}
        assert len(declared) == len(actions), (
            f"each action has a kind of its own, of {[a.kind for a in actions]} two are alike; rename one"
        )
        return declared


def _check_stops(
    loaded: LoadedStudy,
    finished: Finished,
    folder: Path,
    remedy: str,
    *,
    checkpoints: bool,
    most: int = MOST_STOPS,
) -> None:
    """Stop a run after each step, at most `most`, and compare where resuming it leads."""
    steps = [number for number, label in finished.log.steps() if label != "end"]
    stops = probing.pick_evenly(steps, most)
    with _no_error(remedy):
        content = run_with_stops(loaded, folder / "run", stops, checkpoints=checkpoints)
    assert content == finished.content, remedy


@contextmanager
def _no_error(remedy: str) -> Iterator[None]:
    """Fail with the platform's error and the remedy where the block raises one."""
    try:
        yield
    except OpeniirError as error:
        raise AssertionError(f"{error}; {remedy}") from error


def _differing(a: Finished, b: Finished) -> list[str]:
    """List the parts of the content in which two runs differ."""
    return [name for name, digest in a.sections.items() if b.sections[name] != digest]


def _events_but_changes(log: Log) -> list[tuple[Any, ...]]:
    """List all events except `changed`, without the numbers that those shift."""
    return [
        (e.step, e.lane, e.kind, e.actor, canonical(e.payload)) for e in log.events() if e.kind != "changed"
    ]
