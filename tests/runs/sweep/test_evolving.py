"""Evolutions of a study's configuration: who has children, what is run, and what becomes of a stopped one."""

import csv
import json
import shutil
from pathlib import Path

import pytest

from openiir.core.errors import InputError
from openiir.runs.settings import Settings
from openiir.runs.sweep import execute
from openiir.runs.sweep.planning import SweepOrder, plan_sweep
from openiir.runs.sweep_record import read_plan, read_sweep

WORDS = ("--design", "evolve", "--fitness", "warmth.mean")
AXES = ("--vary", "config.warmth=0.0..1.0", "--vary", 'config.topic=["Ropes", "Nets", "Tides"]')

pytestmark = pytest.mark.usefixtures("inlined")


@pytest.fixture
def evolve(small, openiir, tmp_path):
    """Evolves the small study in a folder, by default four agents over three generations."""

    def run(out, *words, fine=True):
        study = small() if not (found := list(tmp_path.rglob("study.toml"))) else found[0]
        numbers = ("--samples", 4, "--generations", 3, "--set", "config.steps=1")
        done = openiir("sweep", study, *WORDS, *AXES, *numbers, *words, "--out", tmp_path / out)
        assert (done.code == 0) == fine, done.err
        return done

    return run


def read_generations(folder: Path) -> list[dict[str, str]]:
    with (folder / "generations.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_fittest_have_children(evolve, tmp_path):
    done = evolve("out")
    rows = read_generations(tmp_path / "out")
    assert len(rows) == 12 and f"generations: {tmp_path / 'out' / 'generations.csv'}" in done.out
    best, means = [], []
    for generation in range(3):
        agents = [row for row in rows if row["generation"] == str(generation)]
        assert len(agents) == 4
        fitness = [float(row["fitness"]) for row in agents]
        best.append(max(fitness))
        means.append(sum(fitness) / 4)
        if generation:
            parents = [rows[int(row["parent"])] for row in agents]
            assert {parent["generation"] for parent in parents} == {str(generation - 1)}
            assert fitness[0] == best[-2] == float(parents[0]["fitness"])  # the elite comes first
    assert best == sorted(best) and means[-1] > means[0]


def test_a_minus_selects_for_less(evolve, tmp_path):
    evolve("out", "--fitness=-warmth.mean")
    rows = read_generations(tmp_path / "out")
    assert max(float(row["fitness"]) for row in rows) == float(rows[8]["fitness"]) <= 0
    assert float(rows[8]["config.warmth"]) < 0.5


def test_children_differ_from_their_parents_where_they_mutated(evolve, tmp_path):
    evolve("out")
    rows = read_generations(tmp_path / "out")
    with (tmp_path / "out" / "lineage.csv").open(encoding="utf-8", newline="") as file:
        lineage = list(csv.DictReader(file))
    mutated = 0
    for row, birth in zip(rows, lineage, strict=True):
        assert birth["id"] == row["agent"] and birth["origin_time"] == row["generation"]
        assert birth["ancestor_list"] == f"[{row['parent'] or 'none'}]"
        if row["parent"]:
            parent = rows[int(row["parent"])]
            keys = {key for key in ("config.warmth", "config.topic") if row[key] != parent[key]}
            assert keys == set(birth["mutated"].split())
            mutated += len(keys)
    assert mutated > 2


def test_a_cell_is_the_very_run_that_its_assignments_give(evolve, sit, tmp_path):
    evolve("out", "--seeds", 2)
    sweep, rows = read_sweep(tmp_path / "out"), read_generations(tmp_path / "out")
    arms = {json.dumps(cell.arm, sort_keys=True) for cell in sweep.cells}
    assert len(sweep.cells) == 2 * len(arms) == 2 * len({row["cell"] for row in rows}) < 24
    study = next(tmp_path.rglob("study.toml"))
    for cell in (sweep.cells[0], sweep.cells[-1]):
        sets = ["config.steps=1", *(f"{key}={json.dumps(value)}" for key, value in cell.arm.items())]
        assert sit(study, tmp_path / cell.id, None, *sets, f"seed={cell.seed}") == cell.content
    by_id = {cell.id: cell for cell in sweep.cells}
    for row in rows:
        arm = by_id[row["cell"]].arm
        assert [row[key] for key in arm] == [str(value) for value in arm.values()]
    assert set(sweep.axes["config.topic"]) == {"Ropes", "Nets", "Tides"}
    assert sweep.axes["config.warmth"] == sorted({cell.arm["config.warmth"] for cell in sweep.cells})


def test_the_same_evolution_is_the_same(evolve, tmp_path):
    one, other = evolve("one"), evolve("other")
    assert one.content == other.content
    for name in ("generations.csv", "lineage.csv"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "other" / name).read_bytes()
    again = evolve("one")
    assert again.content == one.content and "done already" in again.err


@pytest.mark.parametrize("place", ["plan", "record", "cells"])
def test_a_stopped_evolution_goes_on_as_if_it_had_not_been(evolve, openiir, monkeypatch, tmp_path, place):
    """Stopped before the second generation's plan is written, between plan and record, and among its
    cells."""
    whole, write, count = evolve("whole"), execute.write_json, []
    stop = {"plan": 3, "record": 4, "cells": 5}[place]

    def fail(file, value):
        count.append(file.name)
        if len(count) == stop:
            raise KeyboardInterrupt
        write(file, value)

    monkeypatch.setattr(execute, "write_json", fail)
    evolve("out", fine=False)
    assert count[:2] == ["plan.json", "sweep.json"]
    monkeypatch.setattr(execute, "write_json", write)
    done = len(read_sweep(tmp_path / "out").cells)
    if place == "cells":
        shutil.rmtree(tmp_path / "out" / "cells" / f"{done:04}")
    resumed = openiir("resume", tmp_path / "out")
    assert resumed.content == whole.content
    for name in ("generations.csv", "lineage.csv", "sweep.json"):
        mine, theirs = ((tmp_path / folder / name).read_bytes() for folder in ("out", "whole"))
        assert mine == theirs


def test_a_failed_cell_stops_the_evolution_until_it_is_mended(
    evolve, openiir, parlour, monkeypatch, tmp_path
):
    whole, offline = evolve("whole"), parlour.Rate.offline

    def sour(question, draw):
        if question.warmth > 0.9:
            raise ZeroDivisionError("the fire went out")
        return offline(question, draw)

    monkeypatch.setattr(parlour.Rate, "offline", sour)
    failed = evolve("out", fine=False)
    assert failed.code == 1 and "cells failed" in failed.err
    stopped = len(read_sweep(tmp_path / "out").cells)
    monkeypatch.setattr(parlour.Rate, "offline", offline)
    assert openiir("resume", tmp_path / "out").content == whole.content
    assert stopped < len(read_sweep(tmp_path / "out").cells)


def test_a_study_that_changed_is_not_evolved_further(evolve, openiir, monkeypatch, tmp_path):
    def stop(*_):
        raise KeyboardInterrupt

    extend = execute.extend_plan
    monkeypatch.setattr(execute, "extend_plan", stop)
    evolve("out", fine=False)
    monkeypatch.setattr(execute, "extend_plan", extend)
    study = next(tmp_path.rglob("study.toml"))
    study.write_text(study.read_text().replace("steps = 2", "steps = 2\nfree = 1.0"))
    refused = openiir("resume", tmp_path / "out")
    assert refused.code == 2 and "has changed since the sweep" in refused.err


def test_another_evolution_in_a_used_folder_is_refused(evolve):
    evolve("out", "--generations", 1)
    for words, what in ((("--generations", 2), "generations"), (("--fitness=-warmth.mean",), "fitness")):
        assert f"is another one (its {what}" in evolve("out", "--generations", 1, *words, fine=False).err


@pytest.mark.parametrize(
    ("order", "words"),
    [
        ({"fitness": None}, "name it by --fitness MEASURE"),
        ({"fitness": "-"}, "name it by --fitness MEASURE"),
        ({"vary": ()}, "and none is given"),
        ({"vary": ("world.chunk_words=[20, 30]",)}, "not world.chunk_words"),
        ({"samples": 1}, "a population of 1 over 5 generations"),
        ({"samples": 100, "generations": 50, "seeds": 2}, "10,000 runs are more than the 9,999"),
        ({"design": "grid", "vary": ("config.warmth=[0.1]",)}, "are of the design evolve, not of grid"),
        ({"vary": ("config.warmth=0.0..3.0",)}, "less than or equal to 1"),
    ],
)
def test_an_evolution_that_cannot_be_is_told_before_anything_is_written(small, order, words):
    asked = {"design": "evolve", "fitness": "warmth.mean", "vary": ("config.warmth=0.0..1.0",), **order}
    with pytest.raises(InputError, match=words):
        plan_sweep(SweepOrder(str(small()), **asked), Settings())


@pytest.mark.parametrize(
    ("fitness", "words"),
    [("warmth.men", "did you mean 'warmth.mean'"), ("warmth.none", "undefined in all runs of generation 0")],
)
def test_a_fitness_that_no_run_has_is_told(evolve, fitness, words):
    refused = evolve("out", "--fitness", fitness, fine=False)
    assert refused.code == 2 and words in refused.err


def test_a_study_can_declare_its_evolution(small):
    table = (
        '[sweep]\ndesign = "evolve"\nfitness = "warmth.mean"\nsamples = 3\ngenerations = 2\n'
        '"config.warmth" = { low = 0.1, high = 0.9, log = true }\n'
    )
    plan = plan_sweep(SweepOrder(str(small(table))), Settings()).plan
    assert plan.evolution is not None and plan.evolution.generations == 2 and len(plan.arms) == 3
    assert all(0.1 <= arm["config.warmth"] <= 0.9 for arm in plan.assigned)
    assert plan.sha256() == type(plan).model_validate_json(plan.model_dump_json()).sha256()


def test_the_plan_of_an_evolution_keeps_its_hash(evolve, tmp_path):
    evolve("out")
    plan = read_plan(tmp_path / "out")
    assert plan.evolution is not None and len(plan.arms) > plan.evolution.founders
    assert plan.sha256() == read_sweep(tmp_path / "out").study["plan"]
    first = plan.arms[0].model_copy(update={"personas": "other"})
    assert plan.model_copy(update={"arms": (first, *plan.arms[1:])}).sha256() != plan.sha256()
