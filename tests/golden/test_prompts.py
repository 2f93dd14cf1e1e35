"""Prompts are reviewed by reading; `record_prompts.py` writes them anew after an intended change."""

import importlib.util
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest
from prompts_asked import asked_in, drafts_asked

from openiir.core.asking import PlacedQuestion
from openiir.scenarios.recommender import Recommender
from openiir.testing import probing, prompt_checks

HERE = Path(__file__).parent
_SPEC = importlib.util.spec_from_file_location("record_prompts", HERE / "record_prompts.py")
record_prompts = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(record_prompts)


@pytest.mark.parametrize(("study", "sets", "kinds"), record_prompts.STUDIES)
def test_prompts_are_the_reviewed_pages_and_speak_as_people_do(
    study: str, sets: list[str], kinds: list[str]
) -> None:
    found = asked_in(study, sets)
    told = [group for group in found.values() if prompt_checks.is_prompted(group[0].question)]
    assert not [odd for group in told for odd in prompt_checks.find_unnatural_text(group)]
    for kind in kinds:
        assert record_prompts.page(found[kind]) == (HERE / "prompts" / f"{kind}.txt").read_text(
            encoding="utf-8"
        )


def test_the_page_that_drafts_a_persona_is_the_reviewed_one() -> None:
    assert record_prompts.page(drafts_asked()) == (HERE / "prompts/personas.draft.txt").read_text(
        encoding="utf-8"
    )


def test_every_page_is_recorded() -> None:
    kinds = ["personas.draft", *(kind for _, _, kinds in record_prompts.STUDIES for kind in kinds)]
    assert sorted(kinds) == sorted(path.stem for path in (HERE / "prompts").glob("*.txt"))


OF_VISITORS = (
    "graph=false",
    "perception=false",
    'memory="sim"',
    "self_ask=false",
    "reflection=false",
    "recalled=0",
    "persona=false",
)
ALL_ON = "graph=true"


@cache
def asked_with(switch: str) -> Mapping[str, Sequence[PlacedQuestion]]:
    """What a model is asked in a small study of items with captions, by kind."""
    sets = (
        "config.users=2",
        "config.page.most=3",
        "config.visitors.warm_up_pages=1",
        f"config.visitors.{switch}",
    )
    return asked_in(str(Recommender.reference / "audit/items/study.toml"), sets)


def test_each_switch_of_visitors_changes_what_a_model_is_told() -> None:
    """SimUSER's ablations, by model, on items with captions; replies depend on the prompt alone."""

    def told(switch: str) -> set[str]:
        pages = [
            asked
            for asked in asked_with(switch)["recommender.browse"]
            if asked.place.lane.startswith("popularity/")
        ]
        return {"".join(message.text for message in asked.messages()) for asked in pages}

    base = told(ALL_ON)
    assert len(base) > 2 and [switch for switch in OF_VISITORS if base <= told(switch)] == []


@pytest.mark.parametrize("kind", ["taste", "persona", "match"])
def test_who_matches_personas_is_told_nothing_fitted(kind: str) -> None:
    """Nobody is asked these offline, so that the contract of types does not see them."""
    group = probing.pick_evenly(asked_with(ALL_ON)[f"recommender.{kind}"], 2)
    wrong = [words for asked in group for words in prompt_checks.find_misplaced_fields(asked.question)]
    assert not [*wrong, *prompt_checks.find_leaks(group), *prompt_checks.find_unnatural_text(group)]
