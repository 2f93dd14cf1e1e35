"""A held-out rating planted anywhere in a run ends it with the user, the item and the place."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from openiir.core.storage import RunFile
from openiir.kit.items import Ratings, Split
from openiir.scenarios.recommender.config import RecommenderConfig
from openiir.scenarios.recommender.model import attraction
from openiir.scenarios.recommender.model.graph.knowledge import KnowledgeGraph
from openiir.scenarios.recommender.model.graph.retrieval import GraphMemory, SimilarItem
from openiir.scenarios.recommender.model.guard import Guard, Leak
from openiir.scenarios.recommender.questions.browse import VisitBrowse
from openiir.scenarios.recommender.run import data, setup
from openiir.testing.offline import Finished

Run = Callable[..., Finished]


def with_held_out(train: Ratings, test: Ratings) -> Ratings:
    """The training ratings with a held-out one of each user."""
    first = np.unique(test.user, return_index=True)[1]
    return train.with_rows(test.user[first], test.item[first], test.value[first])


@pytest.fixture(autouse=True)
def unfitted() -> Iterator[None]:
    """Nothing fitted is left for, or by, these runs."""
    caches = (attraction.fit_attraction, data._split)
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()


@pytest.fixture
def folds(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[Split], Split]], None]:
    """Build visitors from other folds than the guard has."""

    def plant(change: Callable[[Split], Split]) -> None:
        build = setup.build_visitors
        monkeypatch.setattr(
            setup,
            "build_visitors",
            lambda stage, study, *more: build(stage, replace(study, split=change(study.split)), *more),
        )

    return plant


def test_a_rating_in_the_graph(offline: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    build, fitted = KnowledgeGraph.build, attraction.fit_attraction
    seen: list[Split] = []

    def planted(collection: Any, train: Ratings, *more: Any) -> KnowledgeGraph:
        return build(collection, with_held_out(train, seen[-1].test), *more)

    def noticed(data: Any, split: Split, *more: Any, **named: Any) -> Any:
        seen.append(split)
        return fitted(data, split, *more, **named)

    monkeypatch.setattr(setup, "fit_attraction", noticed)
    monkeypatch.setattr(KnowledgeGraph, "build", planted)
    with pytest.raises(
        Leak, match=r"the knowledge graph holds a held-out rating: user 'u\d+', item 'f\d+' \("
    ):
        offline()


def test_a_mean_of_all_ratings(offline: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    common = setup._visit_context

    async def planted(stage: Any, data: Any, folds: Any, *more: Any) -> Any:
        return replace(await common(stage, data, folds, *more), train=data.ratings)

    monkeypatch.setattr(setup, "_visit_context", planted)
    with pytest.raises(
        Leak, match=r"the mean ratings that pages show: item 'f\d+' .* has .* where the training ratings"
    ):
        offline()


def test_a_memory_of_all_ratings(offline: Run, folds: Callable[..., None]) -> None:
    folds(lambda split: replace(split, train=with_held_out(split.train, split.test)))
    with pytest.raises(
        Leak, match=r"memory filled from history holds a held-out rating: user 'u\d+', item 'f\d+'"
    ):
        offline()


def test_tastes_fitted_to_all_ratings(offline: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    made = data.split

    def planted(*given: Any) -> Split:
        split = made(*given)
        return replace(split, train=with_held_out(split.train, split.test))

    monkeypatch.setattr(data, "split", planted)
    with pytest.raises(
        Leak, match=r"tastes and recommenders are fitted to holds a held-out rating: user 'u\d+'"
    ):
        offline()


@pytest.fixture
def reminded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside each title stands the visitor's own rating of an item that is held out for it."""
    guards: list[Guard] = []

    class Noticed(Guard):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            guards.append(self)

    monkeypatch.setattr(setup, "Guard", Noticed)

    def similar(self: GraphMemory, items: Any, *more: Any) -> list[tuple[SimilarItem, ...]]:
        test = guards[-1].split.test
        return [(SimilarItem(int(test.of(self.user)[0][0]), 1.0, 5.0, True),) for _ in items]

    monkeypatch.setattr(GraphMemory, "similar", similar)


def test_a_prompt_ends_the_command_and_the_run_is_not_finished(
    small: Callable[..., Path], openiir: Callable[..., Any], tmp_path: Path, reminded: None
) -> None:
    said = openiir("run", small(), "--out", tmp_path / "out")
    assert said.code == 1 and "beside a title, holds a held-out rating: user 'u" in said.err, said.err
    with RunFile.open(tmp_path / "out") as run:
        assert len(run.steps()) == 1, "the step with the leak is not committed"
    assert not (tmp_path / "out" / "manifest.json").exists()


def test_what_one_rates_in_the_run_is_no_leak(offline: Run, tmp_path: Path) -> None:
    """Held-out items are recommended and rated, and then are remembered as one's own."""
    run = offline(users=8, page={"most": 6, "exits": False})
    data, folds = setup.load_data(RecommenderConfig.model_validate(run.log.study["config"]), tmp_path, 0)
    found = 0
    for asked in run.asked:
        if isinstance(asked.question, VisitBrowse):
            user = data.users.index(asked.place.asker.removeprefix("user-"))
            held = {data.collection.titles[item] for item in folds.test.of(user)[0].tolist()}
            found += sum(title in page for title in held for page in asked.question.remembered.visit)
    assert found
