"""The examples run as their pages say."""

import os
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from openiir.api import Sweep, open_run
from openiir.core.storage import Log, RunFile
from openiir.runs.sweep.axes import format_assignment
from openiir.scenarios.asymmetric_memory.measures import estimate_effects
from openiir.scenarios.curated_feed import CuratedFeed
from openiir.scenarios.open_web.model.articles import list_articles
from openiir.scenarios.panel.run.actions import Spoke

EXAMPLES = Path(__file__).parents[1] / "examples"
ALONE = ("--workers", 1)
"""One process for the cells of a sweep: each loads the libraries anew."""
PANELS = ("answers", "feeds", "payment", "agents")


def needs_data(what: str) -> pytest.MarkDecorator:
    """Skip a test where this folder of real data is not at hand."""
    reason = f"OPENIIR_DATA is not set, so there is no {what}"
    return pytest.mark.skipif("OPENIIR_DATA" not in os.environ, reason=reason)


def test_four_panels_share_a_cast_and_nothing_of_their_worlds(
    openiir: Callable[..., Any], tmp_path: Path
) -> None:
    studies = [EXAMPLES / "side-by-side" / f"{name}.toml" for name in PANELS]
    ran = openiir("run", *studies, "--out", tmp_path)
    assert ran.code == 0, ran.err
    casts = set()
    for name in PANELS:
        with RunFile.open(tmp_path / name) as run:
            log = Log(run)
            casts.add(tuple(p.id for p in log.personas))
            own = {c.id: c.source for c in log.chunks()}
            assert {source.split("/")[1] for source in own.values()} == {name}
            cited = {c.chunk for claim in log.claims() for c in claim.cites}
            assert cited and cited <= own.keys()
            assert all(agent.tokens > 0 for agent in log.personas)
    assert len(casts) == 1 and len(casts.pop()) == 11


@needs_data("corpus-wiki-debate")
def test_wind_power_is_debated_over_real_articles(openiir: Callable[..., Any], tmp_path: Path) -> None:
    ran = openiir("run", EXAMPLES / "wind-power", "--out", tmp_path / "run")
    assert ran.code == 0, ran.err
    with RunFile.open(tmp_path / "run") as run:
        log = Log(run)
        texts = {c.id: c.text for c in log.chunks()}
        spoke = [s for _, s in Spoke.read(log)]
        assert len(log.personas) == 8 and 24 <= len(spoke) <= 36
        assert len({s.round for s in spoke}) == 3
        assert len({s.text for s in spoke}) == len(spoke), "nobody repeats anybody"
        for said in spoke:
            for cite in said.cites:
                assert texts[cite.chunk][cite.start : cite.end].strip()
    assert openiir("replay", tmp_path / "run").content == ran.content


@needs_data("corpus-wiki-debate")
def test_a_feed_of_articles_tells_their_debates_apart(openiir: Callable[..., Any], tmp_path: Path) -> None:
    ran = openiir("run", EXAMPLES / "wind-feed", "--out", tmp_path / "run")
    assert ran.code == 0, ran.err
    debates = ("wind-power", "gambling", "intellectual-property", "performance-enhancing")
    with RunFile.open(tmp_path / "run") as run:
        log = Log(run)
        items, source = log.columns("catalogue"), {chunk.id: chunk.source for chunk in log.chunks()}
        shares = np.stack([items[f"topic_{n}"] for n in (1, 2, 3, 4)], axis=1)
        told = [n for n in range(len(shares)) if shares[n].max() > 0.25]
        right = sum(debates[shares[n].argmax()] in source[items["id"][n]] for n in told)
        weeks = log.columns("weeks")
        rate = {f: weeks["clicks"][weeks["feed"] == f].sum() for f in ("main", "popularity", "random")}
    assert len(shares) == 8 * 60 and len(told) > 0.9 * len(shares) and right > 0.95 * len(told)
    assert rate["main"] > 1.2 * max(rate["popularity"], rate["random"])
    shown = openiir("show", tmp_path / "run", "feed", "--agent", "user-000017", "--n", 3, "--format", "trec")
    assert [line.split()[0] for line in shown.out.splitlines()] == ["user-000017"] * 3


def test_a_ranker_from_outside_the_package_caps_topics(
    openiir: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = EXAMPLES / "own-ranker"
    small = [
        f"config.{key}" for key in ("users=30", "weeks=2", "audit_users=5", "epsilon=0.5", "candidates=20")
    ]
    words = [word for pair in small for word in ("--set", pair)]
    assert openiir("run", place, *words, "--trust", "--out", tmp_path / "unknown").code == 2, (
        "its folder is not on the path"
    )
    monkeypatch.syspath_prepend(str(place))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    assert openiir("trust", place).code == 0
    ran = openiir("run", place, *words, "--out", tmp_path / "run")
    assert ran.code == 0, ran.err
    with RunFile.open(tmp_path / "run") as run:
        measures = CuratedFeed().metrics(Log(run))
        rows = Log(run).columns("impressions")
    assert (
        measures["exposure_entropy.per_user"].value
        > measures["history/exposure_entropy.per_user"].value + 0.02
    )
    assert set(rows["ranker"][rows["feed"] == "main"]) == {"own_ranker:diverse"}
    assert "would_own_ranker_diverse" in rows
    assert openiir("replay", tmp_path / "run").content == ran.content


def test_the_grid_of_belief_rules_is_whole(openiir: Callable[..., Any], tmp_path: Path) -> None:
    axes = tomllib.loads((EXAMPLES / "opinion-grid" / "study.toml").read_text())["sweep"]
    grid = {name.rpartition(".")[2]: values for name, values in axes.items() if name != "seeds"}
    assert grid == {
        "exposure": [0.0, 0.1, 1.0],
        "rule": ["assimilation", "bounded", "repulsion"],
        "anchor": [0.0, 0.003, 0.02],
    }
    words = [word for key in ("users=10", "weeks=1", "sessions=1") for word in ("--set", f"config.{key}")]
    ran = openiir("run", EXAMPLES / "opinion-grid", *words, "--out", tmp_path / "run")
    assert ran.code == 0, ran.err


def test_a_campaign_moves_beliefs_from_the_week_in_which_it_begins(
    openiir: Callable[..., Any], tmp_path: Path
) -> None:
    small = ("--set", "config.users=60", "--set", "config.weeks=7")
    ran = openiir("run", EXAMPLES / "intervention", *small, "--out", tmp_path / "run")
    assert ran.code == 0, ran.err
    with RunFile.open(tmp_path / "run") as run:
        log = Log(run)
        rows, weeks, items = log.columns("topics"), log.columns("weeks"), log.columns("catalogue")
    of = {
        feed: rows["belief_sum"][(rows["feed"] == feed) & (rows["topic"] == 3)] / 60
        for feed in ("main", "random", "none")
    }
    assert of["random"][5] - of["random"][2] > 0.03 > abs(of["none"][5] - of["none"][2])
    assert of["main"][5] > of["main"][2]
    assert sorted(items["week"][items["injected"]].tolist()) == [4] * 15 + [5] * 15 + [6] * 15
    assert weeks["ranker"][weeks["feed"] == "main"].tolist() == ["history"] * 6 + ["chronological"]


def test_a_note_that_moves_nobody_changes_nothing_and_a_removal_at_once_all(
    openiir: Callable[..., Any], tmp_path: Path
) -> None:
    place = EXAMPLES / "misinformation-cascade"
    arms = tomllib.loads((place / "study.toml").read_text())["sweep"]["event.2"]
    assert [arm["kind"] for arm in arms] == "milestone note note note remove downrank nudge remove".split()
    tables, reach = [], []
    for n in (0, 1, 2, 7):
        words = ["--set", format_assignment("event.2", arms[n]), *small_medium(rounds=14, reproduction=3)]
        ran = openiir("run", place, *words, "--out", tmp_path / str(n))
        assert ran.code == 0, ran.err
        run = open_run(tmp_path / str(n))
        tables.append([run.table(name) for name in ("posts", "social_media_exposed", "rounds")])
        reach.append(run.measures()["reach.rumour"].value)
    assert tables[1] == tables[0] != tables[2], "a note of full strength changes what happens"
    assert reach[0] > reach[3] == 0.0


def test_an_audit_finds_a_ranker_that_hides_one_side(
    openiir: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = EXAMPLES / "engagement-audit"
    monkeypatch.syspath_prepend(str(place))
    rankers = 'config.ranker=["chronological", "one_side:hide_against"]'
    small = small_medium(rounds=6, followees=20)
    ran = openiir(
        "sweep", place, "--vary", rankers, "--seeds", 2, *small, "--trust", *ALONE, "--out", tmp_path / "s"
    )
    assert ran.code == 0, ran.err
    amplification = import_module("amplification")
    change = {name: value for _, name, value, _, _ in amplification.amplify(tmp_path / "s")}
    assert change["for"] > 0.05 and change["against"] < -0.05
    runs = Sweep(tmp_path / "s").runs
    sides = np.asarray(runs[0].table("members")["stance"])
    looks, measures = amplification.count_looks(runs[0]), runs[0].measures()
    for name, members in (("for", (sides > 0).sum()), ("against", (sides < 0).sum())):
        assert looks[name] == pytest.approx(measures[f"exposure.{name}"].value * members)
    again = ("--set", "config.ranker=chronological", *small)
    assert openiir("run", place, *again, "--out", tmp_path / "again").content == runs[0].content


def test_answers_without_effect_and_answers_that_silence(openiir: Callable[..., Any], tmp_path: Path) -> None:
    place = EXAMPLES / "counter-speech"
    arms = tomllib.loads((place / "study.toml").read_text())["sweep"]["event.0"]
    assert [arm["posts"] for arm in arms] == [0, 0.165, 0.33, 0.66, 1]
    assert [arm["deletion"] for arm in arms] == [0, 0.042, 0.084, 0.168, 1]
    measures, rows = [], []
    for n in (0, 4):
        words = ["--set", format_assignment("event.0", arms[n]), *small_medium(rounds=12)]
        ran = openiir("run", place, *words, "--out", tmp_path / str(n))
        assert ran.code == 0, ran.err
        run = open_run(tmp_path / str(n))
        measures.append({name: one.value for name, one in run.measures().items()})
        rows.append(run.table("social_media_countered"))
    assert any(rows[0]["answered"].to_pylist()) and not any(rows[0]["deleted"].to_pylist())
    assert (measures[1]["counter.posts"], measures[1]["counter.deleted"]) == (-1.0, 1.0)
    assert measures[0]["counter.posts"] > -1.0 and measures[0]["counter.deleted"] == 0.0


def test_costs_keep_detectors_from_reading_and_their_judgements_are_split_into_evidence_and_style(
    openiir: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = EXAMPLES / "evidence-or-style"
    monkeypatch.syspath_prepend(str(place))
    reliance = import_module("reliance")
    sizes = {"generations": 6, "producers": 2, "detectors": 8, "pairs": 3}
    small = [word for key, value in sizes.items() for word in ("--set", f"config.{key}={value}")]
    axes = ("--vary", "config.depth_cost=[0.0, 1.0]", "--vary", "config.hazard=[0.5]", "--seeds", 1)
    ran = openiir("sweep", place, *axes, *small, *ALONE, "--out", tmp_path / "costs")
    assert ran.code == 0, ran.err
    runs = Sweep(tmp_path / "costs").runs
    rows = runs[-1].table("generations").to_pylist()
    for row, one in zip(rows, reliance.split_judgements(runs[-1], range(6)), strict=True):
        p = 1 / (1 + np.exp(-(one["prior"] + one["style"] + one["evidence"])))
        assert one["p"] == pytest.approx(np.clip(p, 0.0001, 0.9999), abs=0.00006)
        landed = reliance.share_landed(one["p"], one["posts"], 0.5, 5)
        assert landed == pytest.approx((row["landing_true"], row["landing"]), abs=2**-20)
    founders = [reliance.measure_generations(run, range(1)) for run in runs]
    assert founders[0] == founders[1], "a cost changes nobody who was there before"
    last = [(run, reliance.measure_generations(run, range(5, 6))) for run in runs]
    read = reliance.average_levels(last, "depth_cost")
    assert read["passages read", 1.0] < read["passages read", 0.0]
    bare = ("--set", 'world.sources=["sources/the-river-bath.md"]', *small, "--set", "config.generations=1")
    assert openiir("run", place, *bare, "--out", tmp_path / "bare").code == 0
    without = reliance.measure_generations(open_run(tmp_path / "bare"), range(1))
    assert without["AUC"] < founders[0]["AUC"], "a page on something else is no evidence"


@needs_data("corpus-wiki-debate")
def test_a_medium_quotes_real_articles_on_both_kinds_of_site(
    openiir: Callable[..., Any], tmp_path: Path
) -> None:
    for site in ("twitter", "reddit"):
        words = ("--set", f"config.site={site}", *small_medium(rounds=14))
        ran = openiir("run", EXAMPLES / "wiki-debate-medium", *words, "--out", tmp_path / site)
        assert ran.code == 0, ran.err
        with RunFile.open(tmp_path / site) as run:
            log = Log(run)
            texts = [text for text in log.columns("posts", ["text"])["text"].tolist() if text]
            articles = [
                one.text for one in log.chunks() if one.source.startswith("corpus-wiki-debate/gambling")
            ]
        facts = [s for text in texts for s in text.split(". ") if len(s) > 60]
        told = [fact for fact in facts if any(fact.rstrip(".") in article for article in articles)]
        assert len(told) >= 8, "posts tell what the articles say"


@needs_data("corpus-wiki-debate")
def test_a_cap_on_publishers_of_real_articles_spreads_attention(
    openiir: Callable[..., Any], tmp_path: Path
) -> None:
    place = tmp_path / "study"
    shutil.copytree(EXAMPLES / "twin-ecosystem-debates", place)
    subprocess.run([sys.executable, place / "judge.py", place / "qrels.txt"], check=True)
    small = ("--set", "config.rounds=3", "--set", "config.searchers=100")
    ran = openiir("run", place, *small, "--out", tmp_path / "run")
    assert ran.code == 0, ran.err
    run = open_run(tmp_path / "run")
    measures = run.measures()
    assert measures["free/utility"].value > 0.8 and measures["total/gini"].value < -0.05
    assert not measures["total/harm"].defined and measures["total/cost"].value > 0.1
    pages = run.table("pages").to_pylist()
    judged = {(row["need"], row["work"]) for row in run.table("judged").to_pylist()}
    on_topic = [(row["need"], row["work"]) in judged for row in pages if row["place"] == 1]
    assert sum(on_topic) > 0.9 * len(on_topic), "what stands first was judged for its debate"
    shown = openiir("show", tmp_path / "run", "pages", "--format", "trec")
    assert len(shown.out.strip().splitlines()) == 6 * 5
    assert openiir("replay", tmp_path / "run").content == ran.content


@needs_data("ir-cranfield")
def test_on_documents_that_stay_relevant_estimates_collapse_and_rankings_do_not(
    openiir: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES / "feedback-outage-cranfield"))
    place = tmp_path / "study"
    import_module("collection").write_collection(place, Path(os.environ["OPENIIR_DATA"]))
    assert len(list((place / "documents").iterdir())) == 1_398
    assert len((place / "queries.toml").read_text().splitlines()) == 225
    small = ("--set", "config.searchers=600", "--set", "config.rounds=61", "--set", "world.dimensions=20")
    ran = openiir("run", place, *small, "--out", tmp_path / "run")
    assert ran.code == 0, ran.err
    measures = {name: one.value for name, one in open_run(tmp_path / "run").measures().items()}
    assert measures["readers/lost"] == pytest.approx(measures["fault/lost"], abs=0.03)
    for cause in ("readers", "fault"):
        assert measures[f"{cause}/collapse.calibration"] < 5
        assert np.isnan(measures[f"{cause}/collapse.ndcg"]) and measures[f"{cause}/area.ndcg"] > 0


@needs_data("ir-cisi")
def test_shelves_of_a_library_are_worth_remembering(
    openiir: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES / "memory-of-shelves"))
    import_module("prepare").main(tmp_path / "shelves")
    words = ("--set", "config.members=200", "--set", "config.rounds=30", "--set", "world.dimensions=16")
    ran = openiir("run", tmp_path / "shelves", *words, "--out", tmp_path / "run")
    assert ran.code == 0, ran.err
    with RunFile.open(tmp_path / "run") as run:
        log, effects = Log(run), estimate_effects(Log(run))
        assert effects["advantage"].low > 0.03 and effects["hazard_ratio"].low > 1.1
        assert len(log.table("sources")) == 12 and len(log.table("needs")) == 76
        assert len({chunk.source for chunk in log.chunks()}) == 1_459, "one is there twice"
    assert openiir("replay", tmp_path / "run").content == ran.content


@needs_data("corpus-wiki-debate")
def test_agents_write_about_real_articles_and_people_leave_by_their_thresholds(
    openiir: Callable[..., Any], tmp_path: Path
) -> None:
    place = EXAMPLES / "debates-with-agents"
    small = [f"config.{key}" for key in ("people=240", "spaces.number=4", "economy.publishers=50")]
    sets = [word for key in small for word in ("--set", key)]
    tipping = []
    for threshold in (0.3, 0.7):
        folder = tmp_path / str(threshold)
        ran = openiir("run", place, *sets, "--set", f"config.retreat.threshold={threshold}", "--out", folder)
        assert ran.code == 0, ran.err
        tipping.append(open_run(folder).measures()["tipping_point"].value)
    assert 0.05 < tipping[0] < 0.3 < 0.5 < tipping[1] < 0.9
    with RunFile.open(tmp_path / "0.3") as run:
        titles = {article.title for _, articles in list_articles(Log(run).chunks()) for article in articles}
    assert {"Gamblers Anonymous", "Patent", "Mitchell Report", "Poverty trap"} <= titles and len(titles) == 42
    assert openiir("replay", tmp_path / "0.3").content == open_run(tmp_path / "0.3").content


@needs_data("ir-cranfield")
def test_engineers_ask_the_authors_of_real_papers(
    openiir: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES / "authors-asked"))
    import_module("sort_authors").write_study(tmp_path / "study", Path(os.environ["OPENIIR_DATA"]))
    small = ("--set", "config.members=60", "--set", "config.rounds=5")
    ran = openiir("run", tmp_path / "study", *small, "--out", tmp_path / "run")
    assert ran.code == 0, ran.err
    with RunFile.open(tmp_path / "run") as run:
        log = Log(run)
        names = log.columns("sources")["name"].tolist()
        rows = log.columns("coordination_emergent_requested")
        goals = log.columns("goals")["goal"]
    assert len(set(names)) == 30 and "lighthill m j" in names
    own = (goals[rows["member"]] == 0) & (rows["answer"] >= 0)
    grades = {
        n: rows["answer"][own & (rows["source"] == n)].mean() for n in set(rows["source"][own].tolist())
    }
    best = [names[n] for n in sorted(grades, key=grades.get)[-3:]]
    assert min(grades.values()) < 1 < 2 < max(grades.values()), best


@pytest.mark.parametrize(("name", "queries", "judgements"), [("cranfield", 225, 1836), ("cisi", 76, 3113)])
@needs_data("ir-cranfield or ir-cisi")
def test_tiers_search_judged_collections_and_known_items_of_them(
    name: str,
    queries: int,
    judgements: int,
    openiir: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES / "search-tiers"))
    data = Path(os.environ["OPENIIR_DATA"])
    import_module("write_study").write_collection(tmp_path / "study", data, name)
    keys = ("config.members=60", "config.rounds=3", "world.main.dimensions=16", "world.web.dimensions=16")
    small = [word for key in keys for word in ("--set", key)]
    ran = openiir("run", tmp_path / "study", *small, "--out", tmp_path / "run")
    assert ran.code == 0, ran.err
    log = open_run(tmp_path / "run")
    assert len(log.table("needs")) == queries and len(log.table("judged")) == judgements
    found = {name: one.value for name, one in log.measures().items()}
    assert found["T0/page"] < found["T1/page"] < found["T2/page"] < found["T3/page"]
    assert found["T3/lead.low"] > 0.05 and found["mixed/gap"] > 0.1 and found["mixed/spillover"] == 0
    if name == "cisi":
        known = ("--set", "config.needs=100", "--set", "config.qrels=''")
        ran = openiir("run", tmp_path / "study", *small, *known, "--out", tmp_path / "known")
        assert ran.code == 0, ran.err
        found = {name: one.value for name, one in open_run(tmp_path / "known").measures().items()}
        assert found["T0/correct"] < found["T3/correct"] and found["T3/lead"] > 0.1


def small_medium(**config: Any) -> list[str]:
    """Options that make a study of the social medium small."""
    settings = {"members": 150, "followees": 10, "activity.posts": 0.1, **config}
    return [word for key, value in settings.items() for word in ("--set", f"config.{key}={value}")]


def test_modules_of_examples_have_names_of_their_own() -> None:
    """Tests import them from their folders, all in one process."""
    twice = {name for name, n in Counter(file.name for file in EXAMPLES.glob("*/*.py")).items() if n > 1}
    assert not twice
