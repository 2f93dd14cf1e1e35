"""Sweeps compared by the server: whole, with any baseline, and p explained where the interval disagrees with
it."""

import json
import shutil

import pytest
from starlette.testclient import TestClient

from openiir.core.records import Measure
from openiir.runs.compare import ComparisonOptions, compare
from openiir.runs.compare.contrast import MeasureSamples, compare_arms
from openiir.runs.compare.records import Number
from openiir.runs.compare.wording import explain_p
from openiir.runs.settings import Settings
from openiir.server.app import build_app
from openiir.server.guard import Access

from .conftest import SEEDS

ARMS = {"cold": (0.2, 1), "warm": (0.8, 1), "long": (0.2, 2)}


@pytest.fixture
def root(evenings, with_parlour, tmp_path):
    """A folder with a sweep of 3 arms and 6 seeds, whose cells are folders of their own."""
    cells = []
    for name, (warmth, steps) in ARMS.items():
        for seed in SEEDS:
            id = f"{len(cells) + 1:04}"
            shutil.copytree(evenings / f"{name}-{seed}", tmp_path / "nights" / "cells" / id)
            arm = {"config.warmth": warmth, "config.steps": steps}
            cells.append({"id": id, "arm": arm, "seed": seed, "folder": f"cells/{id}", "status": "done"})
    axes = {"config.warmth": [0.2, 0.8], "config.steps": [1, 2]}
    sweep = {"study": {}, "design": "grid", "axes": axes, "seeds": list(SEEDS), "cells": cells}
    (tmp_path / "nights" / "sweep.json").write_text(json.dumps(sweep))
    return tmp_path


@pytest.fixture
def client(root):
    with TestClient(
        build_app(root, Access(), Settings()), base_url="http://127.0.0.1:8317", headers={"X-Openiir": "1"}
    ) as found:
        yield found


def told(client, **params):
    answer = client.get("/api/compare", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_sweep_is_compared_whole_with_its_arms_named(client, root):
    found = told(client, sweep="nights")
    assert [arm["name"] for arm in found["arms"]] == [f"warmth={w}, steps={s}" for w, s in ARMS.values()]
    ids = [run["id"] for arm in found["arms"] for run in arm["runs"]]
    assert ids == [f"nights/cells/{n:04}" for n in range(1, 19)]
    assert all(len(one["lines"]) == 3 for one in found["measures"])
    by_runs = told(client, run=ids)
    values = [
        [line["value"] for one in each["measures"] for line in one["lines"]] for each in (found, by_runs)
    ]
    assert values[0] == values[1]


def test_more_runs_are_compared_than_an_address_once_took(client, root):
    for n in range(19, 23):
        shutil.copytree(root / "nights/cells/0001", root / f"again-{n}")
    ids = [f"nights/cells/{n:04}" for n in range(1, 19)] + [f"again-{n}" for n in range(19, 23)]
    assert sum(len(arm["runs"]) for arm in told(client, run=ids)["arms"]) == 22


def test_any_arm_is_the_baseline(client, root):
    found = told(client, sweep="nights", baseline="warmth=0.8, steps=1")
    same = compare([root / "nights"], ComparisonOptions(baseline="warmth=0.8, steps=1"))
    assert found["baseline"] == same.baseline == "B"
    for one, measure in zip(found["measures"], same.measures, strict=True):
        differences = {line["arm"]: line["difference"] for line in one["lines"] if line["arm"] != "B"}
        assert differences == {c.arm: c.difference.value for c in measure.contrasts}
    refused = client.get("/api/compare", params={"sweep": "nights", "baseline": "hot"})
    assert refused.status_code == 404 and "warmth=0.2" in refused.json()["detail"]


def samples(*values):
    return MeasureSamples({seed: [Measure(value)] for seed, value in enumerate(values, 1)})


def explained(arms, differences, tests=1):
    """What is said of p for arms with these differences, corrected as the largest of so many tests."""
    base = samples(*range(len(differences)))
    one = compare_arms(("B", "A"), base, samples(*(n + d for n, d in enumerate(differences))), None, 1)
    assert one.difference.low > 0
    one = one.model_copy(update={"adjusted": Number(value=min(1.0, one.p.value * tests))})
    found = compare(arms)
    return explain_p(found, found.measures[0], one)


def test_a_p_beside_an_interval_far_from_zero_is_explained(arms):
    said = explained(arms, (1.0, 1.1, 0.9))
    assert (
        said
        == "the sign-flip test cannot go below p = 0.25 with 3 seeds; 6 or more can show a difference at 0.05"
    )
    many = (1.0, 1.1, 0.9, 1.05, 0.95, 1.02)
    assert explained(arms, many) == ""
    assert explained(arms, many, tests=12).startswith("p = 0.031 before Benjamini-Hochberg's correction over")


def test_lines_carry_the_explanation_of_their_p(root, client):
    found = compare([root / "nights"])
    lines = {
        (one["name"], line["arm"]): line["note"]
        for one in told(client, sweep="nights")["measures"]
        for line in one["lines"]
    }
    for one in found.measures:
        assert all(lines[one.measure, c.arm] == explain_p(found, one, c) for c in one.contrasts)


def test_a_sweep_is_looked_up_among_the_folders_listed(client, root):
    (root.parent / "secret").mkdir(exist_ok=True)
    for id in ("../secret", "nights/cells", "none", "nights/cells/0001", ""):
        refused = client.get("/api/compare", params={"sweep": id})
        assert refused.status_code in (400, 404), id
    sweep = json.loads((root / "nights/sweep.json").read_text())
    sweep["cells"][0]["folder"] = "../../elsewhere"
    (root / "nights/sweep.json").write_text(json.dumps(sweep))
    assert "not in its folder" in client.get("/api/compare", params={"sweep": "nights"}).json()["detail"]
