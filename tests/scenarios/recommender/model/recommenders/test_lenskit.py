"""LensKit pipelines as recommenders; tried where LensKit is installed, which brings torch."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from openiir.core.errors import InputError
from openiir.kit.items import Collection, Ratings
from openiir.scenarios.recommender.model.recommenders import recommender
from openiir.scenarios.recommender.model.recommenders.listing import list_top_items

THERE = importlib.util.find_spec("lenskit") is not None
needs_lenskit = pytest.mark.skipif(
    not THERE, reason="LensKit is not installed (pip install 'openiir[lenskit]')"
)
torch_warns = pytest.mark.filterwarnings("ignore::UserWarning")

LIGHTGCN = """
[meta]
name = "lightgcn"

[options]
base = "std:topn"

[components.scorer]
class = "lenskit.flexmf.FlexMFImplicitScorer"

[components.scorer.config]
preset = "lightgcn"
embedding_size = 16
epochs = 30
"""


@pytest.mark.skipif(THERE, reason="LensKit is installed")
def test_without_lenskit_the_remedy_is_named(collection: Collection) -> None:
    with pytest.raises(InputError, match=r"openiir\[lenskit\]"):
        recommender("lenskit:pipeline.toml", {}, collection, 1)


@pytest.mark.extras
@needs_lenskit
@torch_warns
def test_lightgcn_by_a_pipeline_file(tmp_path: Path, train: Ratings, collection: Collection) -> None:
    (tmp_path / "lightgcn.toml").write_text(LIGHTGCN)
    one = recommender(f"lenskit:{tmp_path / 'lightgcn.toml'}", {}, collection, 3)
    one.fit(train)
    users = np.arange(train.users - 1)
    first = one.scores(users)
    shown = list_top_items(one, users, 3, train.seen).items
    assert (shown % 2 == users[:, None] % 2).mean() > 0.8
    one.fit(train)
    np.testing.assert_array_equal(one.scores(users), first)


@pytest.mark.extras
@needs_lenskit
@torch_warns
def test_a_function_makes_a_pipeline(
    train: Ratings, collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lenskit.knn import ItemKNNScorer
    from lenskit.pipeline import topn_pipeline

    module = ModuleType("own_pipelines")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    module.knn = lambda: topn_pipeline(ItemKNNScorer, {"feedback": "implicit"})  # type: ignore[attr-defined]
    module.none = lambda: 3  # type: ignore[attr-defined]
    one = recommender("lenskit:own_pipelines:knn", {}, collection, 3)
    one.fit(train)
    found = list_top_items(one, np.array([0, 1, train.users - 1]), 1, train.seen).items
    assert found[0, 0] % 2 == 0 and found[1, 0] % 2 == 1 and (found[2] == -1).all()
    with pytest.raises(InputError, match="makes a int"):
        recommender("lenskit:own_pipelines:none", {}, collection, 3)


@pytest.mark.extras
@needs_lenskit
def test_a_pipeline_that_is_none_is_refused(tmp_path: Path, collection: Collection) -> None:
    (tmp_path / "empty.toml").write_text("[meta]\nname = 'x'\n[components.scorer]\nclass = 'no.such:Thing'\n")
    for path in ("empty.toml", "gone.toml"):
        with pytest.raises(InputError, match=path):
            recommender(f"lenskit:{tmp_path / path}", {}, collection, 3)
