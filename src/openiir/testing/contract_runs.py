"""The contract of a run: configuration, seeds, replay, resume, changes, budgets, actions."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from openiir.core.errors import InputError
from openiir.core.hashing import canonical
from openiir.core.storage import Log
from openiir.plugin import Action
from openiir.runs.audit import audit
from openiir.runs.study import Loaded
from openiir.runs.toml import fit
from openiir.runs.types import find_type
from openiir.testing import probing
from openiir.testing.offline import Finished, replayed, run_in_sittings, run_loaded, with_change, with_seed
from openiir.testing.subject import Subject

ActionType = type[Action]
PLATFORM = frozenset({"asked", "shadow", "lookup", "joined", "changed", "restated"})
"""Events the platform itself writes."""
MOST_STOPS = 8
"""Steps after which a run is stopped and resumed, where it has more."""


class RunContract(Subject):
    """A run of the type's study keeps the platform's promises."""

    def test_is_found_by_name(self) -> None:
        found = find_type(self.type.name)
        assert type(found) is self.type, (
            f"the entry point {self.type.name!r} leads to {type(found).__qualname__}, not to {self.type.__qualname__}"
        )

    def test_defaults_are_valid(self, loaded: Loaded) -> None:
        config = self.type.Config
        values = loaded.config.model_dump(mode="json")
        fit(config, values, "the study's configuration, written and read again")
        for name, field in config.model_fields.items():
            if not field.is_required():
                fit(
                    config,
                    {**values, name: field.get_default(call_default_factory=True)},
                    f"the default of {name}",
                )

    def test_unknown_key_is_refused(self, loaded: Loaded) -> None:
        with pytest.raises(InputError, match="no_such_key"):
            fit(self.type.Config, {**loaded.config.model_dump(mode="json"), "no_such_key": 1}, "config")

    def test_structural_keys_exist(self) -> None:
        unknown = sorted(self.type.structural - self.type.Config.model_fields.keys())
        assert not unknown, f"structural names {unknown}, which Config does not have"

    def test_every_key_acts(self, loaded: Loaded) -> None:
        if not self.audited:
            pytest.skip("another study of this type is audited")
        idle = [f"{v.key} ({v.status}): {v.words}" for v in audit(loaded) if v.status != "acts"]
        assert not idle, (
            "moving these keys changes nothing that happens; mend or remove them, or say in acts_with what they need:\n"
            + "\n".join(idle)
        )

    # The run

    def test_same_seed_same_content(self, loaded: Loaded, finished: Finished, tmp_path: Path) -> None:
        again = run_loaded(loaded, tmp_path / "again")
        again.run.close()
        differing = _differing(finished, again)
        assert again.content == finished.content, f"two runs under one seed differ in their {differing}"

    def test_another_seed_another_content(self, loaded: Loaded, finished: Finished, tmp_path: Path) -> None:
        if not self.seeded:
            pytest.skip("this type declares that nothing in it depends on the seed")
        other = run_loaded(with_seed(loaded, loaded.study.seed + 1), tmp_path / "other")
        other.run.close()
        assert other.content != finished.content
        assert _differing(finished, other) != ["study"], (
            "under another seed the run is the same: nothing is drawn; draw where people vary, or set seeded = False"
        )

    def test_replay_agrees(self, finished: Finished) -> None:
        assert replayed(finished.folder) == finished.content

    def test_resume_agrees_after_a_stop_at_each_step(
        self, loaded: Loaded, finished: Finished, tmp_path: Path
    ) -> None:
        steps = [number for number, label in finished.log.steps() if label != "end"]
        assert steps, "schedule() yields no Step, so a run can neither be stopped nor resumed"
        assert (
            run_in_sittings(loaded, tmp_path / "run", probing.spread(steps, MOST_STOPS)) == finished.content
        ), (
            "a run that was stopped and resumed differs: schedule() keeps something outside the stage and its own frame"
        )

    def test_resume_from_a_checkpoint_agrees(
        self, loaded: Loaded, finished: Finished, tmp_path: Path
    ) -> None:
        if not finished.keeps:
            pytest.skip("this type keeps nothing for a checkpoint")
        steps = [number for number, label in finished.log.steps() if label != "end"]
        stops = probing.spread(steps, MOST_STOPS)
        assert run_in_sittings(loaded, tmp_path / "run", stops, checkpoints=True) == finished.content, (
            "a run that goes on from stage.restored differs: what was given to stage.keep is not all of its state"
        )

    def test_change_to_the_same_value_changes_nothing(
        self, loaded: Loaded, finished: Finished, tmp_path: Path
    ) -> None:
        values = loaded.config.model_dump(mode="json")
        same = {k: v for k, v in values.items() if k not in self.type.structural and v is not None}
        if not same:
            pytest.skip("every key of Config is structural")
        changed = run_loaded(
            with_change(loaded, min(2, len(finished.log.steps())), same), tmp_path / "changed"
        )
        with changed.run:
            notes = [e for e in changed.log.events() if e.kind == "changed"]
            assert _told(changed.log) == _told(finished.log), (
                "setting keys to the values they have changes the run"
            )
            assert len(notes) == 1 and notes[0].payload == same
            assert set(_differing(finished, changed)) <= {"study", "events"}

    def test_budgets_add_up(self, finished: Finished) -> None:
        if self.lives_apart:
            self._check_lives(finished)
            return
        debits: Counter[str | None] = Counter()
        for event in finished.log.events("asked"):
            assert event.payload["debit"] >= 0, f"a debit below zero: {event}"
            debits[event.actor] += event.payload["debit"]
        searches = Counter(s.asker for s in finished.log.searches() if s.refused is None)
        for persona, left in finished.left:
            assert left.tokens >= 0 and left.searches >= 0, f"{persona.id} is overdrawn: {left}"
            spent = (persona.tokens - left.tokens, persona.searches - left.searches)
            logged = (debits[persona.id], searches[persona.id])
            assert spent == logged, (
                f"{persona.id} spent {spent} tokens and searches, the log tells of {logged}"
            )

    def _check_lives(self, finished: Finished) -> None:
        """No life costs more than a budget, and none is charged to the stage's own agents."""
        spent: Counter[tuple[str, str | None]] = Counter()
        for event in finished.log.events("asked"):
            assert event.payload["debit"] >= 0, f"a debit below zero: {event}"
            spent[event.lane, event.actor] += event.payload["debit"]
        for persona, left in finished.left:
            assert left.tokens == persona.tokens, f"{persona.id} paid on the stage for what its lanes cost"
            most = max((n for (_, who), n in spent.items() if who == persona.id), default=0)
            assert most <= persona.tokens, f"{persona.id} spent {most} of {persona.tokens} tokens in one lane"

    # Actions

    def test_actions_are_declared_and_read_back(self, finished: Finished) -> None:
        declared = self._declared()
        for event in finished.log.events():
            if event.kind in PLATFORM:
                continue
            assert event.kind in declared, f"the log holds {event.kind!r}, which actions() does not declare"
            again = declared[event.kind].model_validate(event.payload)
            assert json.loads(canonical(again)) == event.payload, (
                f"{event.kind} does not read back as it was written"
            )

    def test_action_kinds_name_their_type(self) -> None:
        for kind in self._declared():
            assert kind.startswith(f"{self.type.name}."), f"name the action {kind!r} {self.type.name}.{kind}"

    def _declared(self) -> dict[str, ActionType]:
        actions = self.type().actions()
        declared = {action.kind: action for action in actions}
        assert len(declared) == len(actions), "two actions have one kind"
        return declared


def _differing(a: Finished, b: Finished) -> list[str]:
    """The parts in which two runs differ."""
    return [name for name, digest in a.sections.items() if b.sections[name] != digest]


def _told(log: Log) -> list[tuple[Any, ...]]:
    """Everything that happened, without the notes of changes and the numbering they shift."""
    return [
        (e.step, e.lane, e.kind, e.actor, canonical(e.payload)) for e in log.events() if e.kind != "changed"
    ]
