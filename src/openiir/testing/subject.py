"""The type under test, its study and one finished run of it, which all contract tests share."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

from openiir.plugin import Scenario
from openiir.runs import types
from openiir.runs.audit.auditing import configure_study
from openiir.runs.study import LoadedStudy
from openiir.testing.offline import Finished, offline_study, run_loaded

ScenarioType = type[Scenario]


class Subject:
    """Base of contract tests: the type under test, its study, and a finished run of it."""

    type: ClassVar[ScenarioType]
    study: ClassVar[str | Path | Mapping[str, Any] | None] = None
    """A study file or folder, or what a study.toml would hold; the type's reference study by default."""
    sets: ClassVar[Sequence[str]] = ()
    """Keys of the study to replace, as `k=v`, such as `config.rounds=1`."""
    small: ClassVar[bool] = False
    """Whether the study is made as small as the type's `audited` makes it."""
    seeded: ClassVar[bool] = True
    """Whether anything in a run depends on the seed."""
    audited: ClassVar[bool] = True
    """Whether every key of the type has to act in this study; of several studies of a type, one is enough."""
    lives_apart: ClassVar[bool] = False
    """Whether a budget pays for one lane, such as a visit or a dialogue, instead of the whole run."""
    asked: ClassVar[str] = "What mattered most to you, and why?"
    """The question that is put in interviews."""
    _made: ClassVar[dict[Any, Any]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls._made = {}

    @classmethod
    def teardown_class(cls) -> None:
        """Close the run that the tests share."""
        if "finished" in cls._made:
            cls._made["finished"].run.close()
        cls._made.clear()

    @pytest.fixture(autouse=True)
    def _at_hand(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Register the class under test under its type's name, installed or not."""
        monkeypatch.setitem(types.AT_HAND, self.type.name, self.type)

    @pytest.fixture
    def loaded(self, tmp_path_factory: pytest.TempPathFactory) -> LoadedStudy:
        """Load the study, once for all tests."""
        if "loaded" not in self._made:
            study = self.study if self.study is not None else self.type.name
            loaded = offline_study(study, tmp_path_factory.mktemp("study"), self.sets)
            small = self.type.audited if self.small else {}
            self._made["loaded"] = configure_study(loaded, small, "audited")
        return self._made["loaded"]

    @pytest.fixture
    def finished(self, loaded: LoadedStudy, tmp_path_factory: pytest.TempPathFactory) -> Finished:
        """Run the study to its end, once for all tests."""
        if "finished" not in self._made:
            self._made["finished"] = run_loaded(loaded, tmp_path_factory.mktemp("contract") / "run")
        return self._made["finished"]
