"""What every type keeps: inherit `ScenarioContract` in a test, set `type`, and pytest runs the whole list."""

from collections.abc import Iterator
from typing import Any

import pytest

from openiir.testing import probing
from openiir.testing.contract_runs import RunContract
from openiir.testing.contract_views import ViewContract
from openiir.testing.offline import Finished
from openiir.testing.subject import Subject


class QuestionContract(Subject):
    """Questions can be asked of a behaviour model and of a language model alike."""

    def _groups(self, finished: Finished) -> Iterator[tuple[str, list[Any]]]:
        groups = probing.by_kind(finished.asked)
        if finished.keeps and not groups:
            pytest.skip("this run is of a crowd alone: nobody is asked")
        assert groups, "the study should ask its agents something, and nobody is asked; ask through stage.ask_all"
        yield from groups.items()

    def test_replies_are_bounded(self, finished: Finished) -> None:
        found = [
            f"{k}: {w}" for k, g in self._groups(finished) for a in g for w in probing.unbounded(a.question)
        ]
        assert not found, "a model could run on; give each of these bounds:\n" + "\n".join(dict.fromkeys(found))

    def test_offline_replies_pass_their_own_check(self, finished: Finished) -> None:
        for kind, group in self._groups(finished):
            for asked in group:
                wrong = probing.unusable(asked)
                assert wrong is None, (
                    f"the offline answer to {kind} would be refused of a model: {wrong}; "
                    "mend offline(), or what Reply, allowed() and check() demand"
                )

    def test_offline_answers_depend_on_their_question_alone(self, finished: Finished) -> None:
        for kind, group in self._groups(finished):
            for asked in group:
                wrong = probing.impure(asked)
                assert wrong is None, f"{kind}: {wrong}; let it read the question's fields and its draw alone"
            assert not probing.uneven(group), (
                f"{kind}: offline_all and offline give different replies; let both draw by the draws they are given"
            )

    def test_prompt_shows_what_the_offline_answer_uses(self, finished: Finished) -> None:
        for kind, group in self._groups(finished):
            told = self.shown_by_persona.get(kind, ())
            leaks = [p for p in probing.hidden(group) if p not in told and p.split(".")[0] not in told]
            assert not leaks, (
                f"{kind}: the offline answer uses {', '.join(leaks)}, which the prompt does not show, so a model or a "
                "person would be asked something else; put it into prompt(), or do without it"
            )


class ScenarioContract(RunContract, QuestionContract, ViewContract):
    """The contract of a type, as tests.

        class TestContract(ScenarioContract):
            type = MyType

    The type need not be installed. Its study is run offline, in temporary folders.
    `study`, `sets`, `seeded`, `audited`, `shown_by_persona` and `asked` can be set as well; see `Subject`.
    """
