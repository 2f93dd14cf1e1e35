"""Arms, forks, shadows and stops of small runs: what they share, and what they leave alone."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from openiir.scenarios.multi_generational.run.actions import Born, Judged, Met, Posted, Standing
from openiir.scenarios.multi_generational.run.births import read_birth_history
from openiir.scenarios.multi_generational.run.setup import shipped_pairs
from openiir.scenarios.multi_generational.scenario import MultiGenerational
from openiir.testing import Finished
from openiir.testing.offline import replay_offline, run_offline

SMALL = (
    "config.generations=4",
    "config.producers=4",
    "config.detectors=4",
    "config.pairs=4",
    "config.matrix.generations=2",
    "config.matrix.pairs=2",
)
ALONE = (*SMALL, "config.controls=[]")
Play = Callable[..., Finished]
FATE = (Born, Met, Standing)


@pytest.fixture(scope="module")
def play(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Runs the reference study with these settings; each set of them once."""
    made: dict[tuple[str, ...], Finished] = {}

    def ran(*sets: str, study: str = "multi_generational") -> Finished:
        if (study, *sets) not in made:
            made[study, *sets] = run_offline(study, tmp_path_factory.mktemp("study"), *sets)
        return made[study, *sets]

    yield ran
    for one in made.values():
        one.run.close()


def read(ran: Finished, *kinds: Any, before: int = 99) -> list[Any]:
    """Actions of these kinds, of generations before one."""
    return [one for kind in kinds for _, one in kind.read(ran.log) if one.generation < before]


def rows(ran: Finished, arm: str, before: int = 99) -> list[dict[str, Any]]:
    return [row for row in ran.log.table("generations") if row["arm"] == arm and row["generation"] < before]


def test_controls_leave_the_main_arm_alone(play: Play) -> None:
    alone, beside = play(*ALONE), play(*SMALL)
    for kind in (*FATE, Posted, Judged):
        assert read(alone, kind) == read(beside, kind) != []
    assert repr(rows(alone, "coevolution")) == repr(rows(beside, "coevolution"))


def test_a_control_is_the_arm_that_a_study_of_its_own_has(play: Play) -> None:
    for arm in ("frozen_detectors", "frozen_producers", "neutral"):
        own = play(*ALONE, f"config.arm={arm}")
        assert repr(rows(own, arm)) == repr(rows(play(*SMALL), arm)) != "[]"


def test_all_arms_begin_alike(play: Play) -> None:
    first = [row for row in play(*SMALL).log.table("generations") if row["generation"] == 0]
    assert len(first) == 5
    assert len({repr({key: one for key, one in row.items() if key != "arm"}) for row in first}) == 1


@pytest.mark.parametrize("side", ["detector", "producer"])
def test_a_frozen_side_never_changes(play: Play, side: str) -> None:
    ran = play(*ALONE, f"config.arm=frozen_{side}s", "config.mutation.rate=1.0")
    born = {one: [b for b in read(ran, Born) if b.side == one] for one in ("detector", "producer")}
    other = "producer" if side == "detector" else "detector"
    assert len({b.genomes for b in born[side]}) == 1 and not any(b.mutations for b in born[side])
    assert len({b.genomes for b in born[other]}) == 4
    assert all(b.parents == (0, 1, 2, 3) for b in born[side][1:])


def test_the_neutral_arm_takes_parents_whatever_their_fitness(play: Play) -> None:
    """Parents are drawn by name, so that another hazard, and with it other fitness, changes none of them."""
    sets = (*ALONE, "config.arm=neutral", "config.selection.elites=2")
    one, other = play(*sets), play(*sets, "config.hazard=0.9", "config.sharing=true")
    assert [m.fitness for m in read(one, Met)] != [m.fitness for m in read(other, Met)]
    assert [b.parents for b in read(one, Born)] == [b.parents for b in read(other, Born)]
    selected = [play(*ALONE, *more) for more in ((), ("config.hazard=0.9", "config.sharing=true"))]
    assert [b.parents for b in read(selected[0], Born)] != [b.parents for b in read(selected[1], Born)]


def test_the_neutral_arm_has_no_direction(play: Play) -> None:
    """Over generations, a parent's children have no correlation with its fitness, and selection makes one."""
    slopes: dict[str, list[float]] = {}
    for arm in ("neutral", "coevolution"):
        for seed in range(10, 13):
            small = (f"seed={seed}", "config.generations=6", "config.pairs=2", "config.matrix.generations=0")
            ran = play(*ALONE, f"config.arm={arm}", *small)
            for side in ("producer", "detector"):
                history = read_birth_history(ran.log, side)
                for met, births in zip(read(ran, Met), history.births[1:], strict=False):
                    children = np.bincount([birth.parent for birth in births], minlength=4)
                    rank = np.argsort(np.argsort(met.fitness[side]))
                    slopes.setdefault(arm, []).append(float(np.cov(rank, children)[0, 1]))
    spread = np.std(slopes["neutral"]) / np.sqrt(len(slopes["neutral"]))
    assert abs(np.mean(slopes["neutral"])) < 3 * spread < np.mean(slopes["coevolution"])


def test_a_change_of_the_mutation_rate_leaves_what_was_before(play: Play) -> None:
    change = 'change=[{step=3, set={"mutation.rate"=1.0}}]'
    plain, forked = play(*ALONE), play(*ALONE, change)
    for kind in (Posted, Judged, Met, Standing):
        assert read(plain, kind, before=3) == read(forked, kind, before=3)
    assert read(plain, Born, before=3) == read(forked, Born, before=3)
    assert read(plain, Born) != read(forked, Born)


def test_summaries_are_the_same_without_the_rest(play: Play) -> None:
    whole, short = play(*SMALL), play(*SMALL, "config.log=summaries")
    assert repr(whole.log.table("generations")) == repr(short.log.table("generations"))
    assert read(whole, Met, Standing) == read(short, Met, Standing)
    bare = [one.model_copy(update={"prompts": ()}) for one in read(whole, Born)]
    assert bare == read(short, Born) and not read(short, Posted, Judged)


def test_a_run_replays(play: Play) -> None:
    ran = play(*ALONE)
    assert replay_offline(ran.folder) == ran.content


@pytest.mark.parametrize("rate", [0, 1])
def test_mutation_can_be_off_or_everywhere(play: Play, rate: int) -> None:
    ran = play(*ALONE, f"config.mutation.rate={rate}", f"config.mutation.text={rate}")
    for side in ("producer", "detector"):
        births = [one for cohort in read_birth_history(ran.log, side).births[1:] for one in cohort]
        mutated = [len(one.mutations) for one in births]
        assert (max(mutated) == 0) if rate == 0 else (max(mutated) > 10)


def test_genomes_read_from_the_log_are_those_that_lived(play: Play) -> None:
    ran = play(*ALONE)
    for side in ("producer", "detector"):
        history = read_birth_history(ran.log, side)
        born = [b for b in read(ran, Born) if b.side == side]
        assert [tuple(one.genome.id for one in cohort) for cohort in history.births] == [
            b.genomes for b in born
        ]


def balance(p: np.ndarray) -> np.ndarray:
    """1 less the balanced Brier score of judgements (detectors, posts), true and false in turn."""
    return 1 - ((p[:, ::2] ** 2).mean(axis=1) + ((1 - p[:, 1::2]) ** 2).mean(axis=1)) / 2


def test_fitness_of_detectors_is_that_of_their_judgements(play: Play) -> None:
    ran = play(*ALONE)
    history = read_birth_history(ran.log, "detector")
    for met in read(ran, Met):
        p = np.array([one.p for one in read(ran, Judged) if one.generation == met.generation])
        depth = [int(birth.genome.values["retrieval.depth"]) for birth in history.births[met.generation]]
        assert met.fitness["detector"] == pytest.approx(balance(p) - 0.02 * np.array(depth) / 10)


def test_survival_and_sharing_are_those_of_the_judgements(play: Play) -> None:
    ran = play(*ALONE, "config.sharing=true")
    for met in read(ran, Met):
        p = np.array([one.p for one in read(ran, Judged) if one.generation == met.generation])
        posted = [one for one in read(ran, Posted) if one.generation == met.generation]
        survival = np.concatenate([one.survival for one in posted])
        assert survival == pytest.approx((1 - 0.5 * p.mean(axis=0)) ** 5, abs=2**-21)
        by = p.reshape(4, 4, 4, 2).mean(axis=2)
        fooled = by[..., 1] <= by[..., 0]
        for side, wins in (("producer", fooled.T), ("detector", ~fooled)):
            naive = [sum(1 / wins[:, k].sum() for k in range(4) if row[k]) / 4 for row in wins]
            births = read_birth_history(ran.log, side).births[met.generation]
            cost = [0.02 * int(one.genome.values["retrieval.depth"]) / 10 for one in births]
            assert met.fitness[side] == pytest.approx(np.array(naive) - cost)


def test_half_of_the_opponents_are_of_the_hall_of_fame(play: Play) -> None:
    ran = play(*ALONE, "config.hall_of_fame=0.5")
    best: dict[str, set[str]] = {"producer": set(), "detector": set()}
    agents = {(b.side, b.generation): b.agents for b in read(ran, Born)}
    for met in read(ran, Met):
        for side in best:
            old = {one for one in met.opponents[side] if one not in agents[side, met.generation]}
            assert old <= best[side] and len(old) == min(2, met.generation)
            assert len(set(met.opponents[side])) == 4
            best[side].add(agents[side, met.generation][int(np.argmax(met.fitness[side]))])


def test_landed_posts_stand_for_their_time(play: Play) -> None:
    ran = play(*ALONE, "config.corpus.stands=1", "config.generations=6")
    known: set[str] = set()
    for met, standing in zip(read(ran, Met), read(ran, Standing), strict=True):
        now = met.generation
        found = {
            one
            for judged in read(ran, Judged, Posted)
            if judged.generation == now
            for one in (
                judged.seen if isinstance(judged, Judged) else [u for some in judged.uses for u in some]
            )
        }
        posts = {one for one in found if one.startswith("producer-")}
        assert posts <= known, "only what stood at the end of the generation before can be found"
        assert set(standing.removed) <= known and not set(standing.removed) & set(standing.posts)
        assert all(one.startswith(f"producer-{now:03d}-") for one in standing.posts)
        known = set(standing.posts)
    assert any(read(ran, Standing)[n].posts for n in range(6))
    none = play(*ALONE, "config.corpus.stands=0")
    assert not any(one.posts for one in read(none, Standing))


def write_pairs(folder: Path, swapped: bool) -> str:
    """Write the study with the type's own pairs as a table, exchanged if asked for; returns its path."""
    lines = []
    for one in shipped_pairs():
        versions = (one.false, one.true) if swapped else (one.true, one.false)
        lines.append(
            json.dumps({"id": one.id, "topic": one.topic, "true": versions[0], "false": versions[1]})
        )
    shutil.copytree(MultiGenerational.reference, folder, dirs_exist_ok=True)
    (folder / "table.jsonl").write_text("\n".join(lines))
    return str(folder / "study.toml")


def test_who_writes_and_judges_does_not_know_which_version_is_true(play: Play, tmp_path: Path) -> None:
    """With labels exchanged, texts get the same posts and judgements; measures and selection differ."""
    table = ("config.set.table=table.jsonl", "config.set.matched=false")
    arm = (*ALONE, *table, "config.arm=neutral")
    plain, swapped = (play(*arm, study=write_pairs(tmp_path / str(swap), swap)) for swap in (False, True))
    back = [place ^ 1 for place in range(2 * 4)]
    for one, other in zip(read(plain, Posted), read(swapped, Posted), strict=True):
        assert one.texts == tuple(other.texts[n] for n in back)
        assert one.uses == tuple(other.uses[n] for n in back)
        assert one.landed == tuple(other.landed[n] for n in back)
    for one, other in zip(read(plain, Judged), read(swapped, Judged), strict=True):
        assert np.array_equal(np.reshape(one.p, (-1, 2)), np.reshape(other.p, (-1, 2))[:, ::-1])
    assert read(plain, Born) == read(swapped, Born)
    assert [m.fitness for m in read(plain, Met)] != [m.fitness for m in read(swapped, Met)]
