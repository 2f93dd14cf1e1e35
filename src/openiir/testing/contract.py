"""Contract tests of a type: inherit `ScenarioContract` in a test, set `type`, and pytest runs them all."""

from collections.abc import Iterator

import pytest

from openiir.core.asking import PlacedQuestion
from openiir.plugin import Interview
from openiir.testing import probing, prompt_checks
from openiir.testing.contract_runs import RunContract
from openiir.testing.contract_views import ViewContract
from openiir.testing.offline import Finished
from openiir.testing.subject import Subject


class QuestionContract(Subject):
    """Contract tests of questions, as put to a behaviour model and to a language model."""

    def _groups(self, finished: Finished) -> Iterator[tuple[str, list[PlacedQuestion]]]:
        groups = probing.group_by_kind(finished.asked)
        if finished.keeps and not groups:
            pytest.skip("this run is of a crowd alone: nobody is asked")
        assert groups, (
            "the study should ask its agents something, and nobody is asked; ask through stage.ask_all"
        )
        yield from groups.items()
        yield from probing.group_by_kind(list(self._interviews(finished))).items()

    def _interviews(self, finished: Finished) -> Iterator[PlacedQuestion]:
        for interview in (one for one in self.type().surfaces() if isinstance(one, Interview)):
            for persona in probing.pick_evenly(finished.log.personas, probing.PER_KIND):
                yield probing.place_after_run(interview.question(finished.log, persona, self.asked), persona)

    def test_replies_are_bounded(self, finished: Finished) -> None:
        found = [
            f"{k}: {w}"
            for k, g in self._groups(finished)
            for a in g
            for w in probing.find_unbounded(a.question)
        ]
        assert not found, "a model could run on; give each of these bounds:\n" + "\n".join(
            dict.fromkeys(found)
        )

    def test_offline_replies_pass_their_own_check(self, finished: Finished) -> None:
        for kind, group in self._groups(finished):
            for asked in group:
                wrong = probing.explain_unusable(asked)
                assert wrong is None, (
                    f"the offline answer to {kind} would be refused of a model: {wrong}; "
                    "mend offline(), or what Reply, allowed() and check() demand"
                )

    def test_offline_answers_depend_on_their_question_alone(self, finished: Finished) -> None:
        for kind, group in self._groups(finished):
            for asked in group:
                wrong = probing.explain_impure(asked)
                assert wrong is None, f"{kind}: {wrong}; let it read the question's fields and its draw alone"
            assert not probing.batch_differs(group), (
                f"{kind}: offline_all and offline give different replies; let both draw by their draws alone"
            )

    def test_replies_fit_the_schema_that_is_sent(self, finished: Finished) -> None:
        """Validate replies by the schema sent; without jsonschema only its strictness is checked."""
        try:
            from jsonschema import Draft202012Validator as validator
        except ImportError:
            validator = None
        for kind, group in self._groups(finished):
            wrong = {w for asked in group for w in prompt_checks.find_schema_errors(asked, validator)}
            assert not wrong, (
                f"a strict endpoint would refuse {kind}; mend the reply's fields or what allowed() lists:\n"
                + "\n".join(sorted(wrong))
            )
        if validator is None:
            pytest.skip("replies were not validated by their schemas: pip install jsonschema")

    def test_every_field_is_a_fact_or_says_its_source(self, finished: Finished) -> None:
        for kind, group in self._prompted_groups(finished):
            wrong = {w for asked in group for w in prompt_checks.find_misplaced_fields(asked.question)}
            assert not wrong, (
                f"{kind}: {'; '.join(sorted(wrong))}; tell a fact in words or as Year, Price, Stars or "
                'Count, and write a disposition as Annotated[float, Source("persona")]'
            )

    def test_prompts_change_with_the_facts_alone(self, finished: Finished) -> None:
        for kind, group in self._prompted_groups(finished):
            leaks = prompt_checks.find_leaks(group)
            assert not leaks, (
                f"{kind}: {', '.join(leaks)} changes what is sent; no prompt, role, choice or repair may "
                "show a "
                "disposition or an Id: number the choices, and say in words what people know of themselves"
            )
            untold = sorted(
                {*prompt_checks.find_untold_facts(group), *prompt_checks.find_hidden_facts(group)}
            )
            assert not untold, (
                f"{kind}: the prompt does not tell {', '.join(untold)}; tell it, make it an Id if it only "
                "says what is meant, or a disposition if the offline answer alone reads it"
            )

    def test_prompts_are_as_people_speak(self, finished: Finished) -> None:
        for kind, group in self._prompted_groups(finished):
            odd = prompt_checks.find_unnatural_text(group)
            assert not odd, (
                f"{kind}: the prompt holds what people do not say and no fact quotes; say it in words:\n"
                + "\n".join(odd[:6])
            )

    def _prompted_groups(self, finished: Finished) -> Iterator[tuple[str, list[PlacedQuestion]]]:
        for kind, group in self._groups(finished):
            if told := [asked for asked in group if prompt_checks.is_prompted(asked.question)]:
                yield kind, told


class ScenarioContract(RunContract, QuestionContract, ViewContract):
    """All contract tests of a type of study, for a test class to inherit.

        class TestContract(ScenarioContract):
            type = MyType

    The type need not be installed. Its study is run offline, in temporary folders.
    `study`, `sets`, `seeded`, `audited` and `asked` can be set as well; see `Subject`.
    """
