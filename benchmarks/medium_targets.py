"""The social medium beside published figures, with 95 % intervals over seeds.

    python benchmarks/medium_targets.py [veracity note herding audit attitudes counter] [--seeds 10]

Each part runs the type offline, members as numbers alone, or the kit's part of it alone, and prints a table.
Figures that are put in by calibration are printed beside what a whole run makes of them.
"""

import argparse
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from lab.cascades.branching import branching_cascades
from lab.cascades.size_matching import compare_at_equal_size
from openiir.core.seeds import Draw
from openiir.kit.measures import gini
from openiir.kit.networks import attraction_graph, random_walk_controversy
from openiir.kit.statistics import Estimate, mean_interval
from openiir.plugin import Log
from openiir.scenarios.social_media import SocialMedia
from openiir.scenarios.social_media.measures.metrics import grow_cascades
from openiir.scenarios.social_media.model.activity import reaction_quantile, reaction_share
from openiir.scenarios.social_media.model.cascades import CascadeTrees
from openiir.scenarios.social_media.model.posts.reactions import (
    ACTIONS,
    NOTE_EFFECT,
    ReactionFeatures,
    ReactionRule,
)
from openiir.scenarios.social_media.run.actions import Countered, Exposed, Injected
from openiir.testing import run_offline

DRAW = Draw(1, "benchmark.medium_targets")
LIKE, DISLIKE, REPOST = (ACTIONS.index(name) for name in ("like", "dislike", "repost"))
QUIET = {"activity": {"posts": 0.0}, "follows": {"rate": 0.0, "leave": 0.0}}
"""Nobody posts but by events, and nobody begins or stops to follow."""


@contextmanager
def run_medium(seed: int, events: Sequence[Mapping[str, Any]] = (), **config: Any) -> Iterator[Log]:
    """Run a study with these events and keys; gives its log."""
    base = {"statement": "The bridge should be closed", "topics": ["traffic", "noise"]}
    study = {
        "type": "social_media",
        "seed": seed,
        "personas": [],
        "event": list(events),
        "config": base | config,
    }
    with tempfile.TemporaryDirectory() as folder:
        done = run_offline(study, Path(folder) / "run")
        yield done.log
        done.run.close()


def make_posts(number: int, **fields: Any) -> list[dict[str, Any]]:
    """Make events in which those with most followers post in the first round; fields are lists or one for
    all."""
    return [
        {
            "at": "round 1",
            "kind": "post",
            "post": f"post-{n}",
            "member": f"followed-{n + 1}",
            "text": "Look.",
            **{
                key: value[n % len(value)] if isinstance(value, list) else value
                for key, value in fields.items()
            },
        }
        for n in range(number)
    ]


def show(estimate: Estimate, factor: float = 1.0, form: str = "{:.3f}") -> str:
    ends = (form.format(factor * one) for one in (estimate.value, estimate.low, estimate.high))
    return "{} ({} to {})".format(*ends)


def print_rows(title: str, rows: Mapping[str, str]) -> None:
    print(f"\n| {title} | |\n|---|---|")
    for name, value in rows.items():
        print(f"| {name} | {value} |", flush=True)


def measure_veracity(seeds: int) -> None:
    """Compare false with true posts by the same kind of authors: how often they are reposted, and how they
    spread."""
    ratios, sets, looked = [], ([], []), []
    for seed in range(1, seeds + 1):
        with run_medium(
            seed,
            make_posts(600, veracity=["false", "true"]),
            members=20_000,
            rounds=48,
            reproduction=0.8,
            **QUIET,
        ) as log:
            ratios.append(SocialMedia().metrics(log)["false_to_true"].value)
            looks, trees = Exposed.columns(log), grow_cascades(log)
            looked.append(float(len(looks["post"])))
            for part, veracity in zip(sets, ("false", "true"), strict=True):
                posts = [one.post for _, one in Injected.read(log) if one.veracity == veracity]
                part.append(describe_trees(trees, np.isin(trees.shares.item[trees.roots], posts)))
    print_rows(
        f"false beside true posts, {seeds} seeds, 300 of each",
        {
            "reposts a look, false to true (target 1.7 +/- .15)": show(mean_interval(ratios)),
            "looks a seed": f"{np.mean(looked):,.0f}",
            "mean size of false and true cascades": " and ".join(
                f"{np.mean(np.concatenate([one[0] for one in part])):.2f}" for part in sets
            ),
        },
    )
    network = [tuple(np.concatenate(column) for column in zip(*part, strict=True)) for part in sets]
    drawn = [branching_cascades(20_000, r, DRAW.at(f"branching/{r}")) for r in (0.85, 0.5)]
    branching = [describe_trees(trees, np.ones(len(trees), dtype=np.bool_)) for trees in drawn]
    for name, (false, true) in (("branching, R = .85 and .5", branching), ("the type's network", network)):
        rows = {}
        for n, what in ((1, "depth"), (2, "structural virality")):
            found = compare_at_equal_size((false[0], true[0]), (false[n], true[n]), np.arange(3, 60))
            rows[f"{what}, true less false"] = (
                f"{show(found.difference)}; means {found.first_mean:.3f} and {found.second_mean:.3f}, KS "
                f"{found.distance:.3f}, p {found.p:.4f}, {found.pairs} pairs"
            )
        print_rows(f"cascades of equal size: {name}", rows)


def describe_trees(trees: CascadeTrees, chosen: np.ndarray) -> tuple[np.ndarray, ...]:
    return trees.size[chosen], trees.max_depth[chosen].astype(np.float64), trees.virality[chosen]


def measure_notes(seeds: int) -> None:
    """Compare reposts with and without a note: by the kernel alone, and in whole runs with all that
    descends."""
    after = -np.expm1(NOTE_EFFECT[REPOST])
    rows = {
        f"note after {hours:g} "
        f"h": f"-{100 * after:.1f} % after it, -{100 * after * (1 - float(reaction_share(60 * hours))):.1f} "
        f"% ever"
        for hours in (2, 6, 13, 13.5, 14, 24)
    }
    rows["delay at which -45.7 and -11.4 % hold at once (published: both)"] = (
        f"{float(reaction_quantile(1 - 0.114 / after)) / 60:.2f} h"
    )
    print_rows("note, direct reposts by the kernel alone, without an end", rows)
    found = np.array([compare_notes(seed, 810) for seed in range(1, seeds + 1)]).T
    names = (
        "reposts a look after it",
        "direct reposts after it",
        "reposts after it",
        "direct reposts",
        "reposts",
    )
    changes = {
        name: f"{show(mean_interval(row), 100, '{:+.1f}')} %" for name, row in zip(names, found, strict=True)
    }
    print_rows(f"note after 13.5 h in whole runs of a week, {seeds} seeds, 400 posts, R = 0.5", changes)


def compare_notes(seed: int, minutes: int) -> np.ndarray:
    """Compute the relative change of counts of reposts that notes on all posts make."""
    posts, counts = make_posts(400), []
    notes = [
        {"at": "round 1", "kind": "note", "post": one["post"], "text": "It still stands.", "delay": minutes}
        for one in posts
    ]
    for events in (posts, posts + notes):
        with run_medium(seed, events, members=20_000, rounds=7 * 24, reproduction=0.5, **QUIET) as log:
            counts.append(np.array(count_reposts(log, minutes)))
    return counts[1] / counts[0] - 1


def count_reposts(log: Log, minutes: int) -> list[float]:
    """Count reposts of scheduled posts: by looks after some minutes; after these, direct and all; ever,
    direct and all."""
    looks, owner = (
        Exposed.columns(log),
        {one.post: log.members.row(event.actor) for event, one in Injected.read(log)},
    )
    looks = {name: column[np.isin(looks["post"], [*owner])] for name, column in looks.items()}
    again = looks["did"] == REPOST
    direct = again & (looks["shown_by"] == np.array([owner[post] for post in looks["post"].tolist()]))
    late = looks["minute"] >= minutes
    counts = [float(one.sum()) for one in (direct & late, again & late, direct, again)]
    return [counts[1] / float(late.sum()), *counts]


def measure_herding(seeds: int) -> None:
    """Give posts one up-vote before anybody sees them: chance of a like, and score after some readers."""
    rows, posts = {}, 5_000
    for like, dislike, name in ((0.03, 0.003, "the default rates"), (0.05, 0.02, "likes 5 %, dislikes 2 %")):
        rule = ReactionRule(like=like, dislike=dislike)
        sample = ReactionFeatures(np.linspace(-0.5, 0.5, 101), 0.3, 0.3)
        model = rule.calibrate(sample, 0.02)
        chances = [model.probabilities(sample._replace(score=score))[:, LIKE].mean() for score in (0, 1, -1)]
        rows[f"{name}: chance of a like at a score of 1 (published 1.32) and -1, to 0"] = (
            f"{chances[1] / chances[0]:.4f} and {chances[2] / chances[0]:.4f}"
        )
        for readers in (20, 100, 500):
            gains = []
            for seed in range(seeds):
                finals = []
                for given in (0, 1):
                    score = np.full(posts, float(given))
                    for reader in range(readers):
                        draw = Draw(seed, "benchmark.herding").at(
                            "react", agent=reader, item=np.arange(posts)
                        )
                        stance = DRAW.at("stance", item=np.arange(posts)).uniform(agent=reader) - 0.5
                        did = draw.choices(
                            ACTIONS, model.utilities(ReactionFeatures(stance, 0.3, 0.3, score))
                        )
                        score += (did == LIKE).astype(float) - (did == DISLIKE)
                    finals.append(score.mean())
                gains.append([finals[1] / finals[0] - 1, (finals[1] - 1) / finals[0] - 1])
            whole, rest = (mean_interval(column) for column in np.array(gains).T)
            rows[f"{name}: final score after {readers} readers (published +25 %)"] = (
                f"+{show(whole, 100, '{:.1f}')} % with the vote given, +{show(rest, 100, '{:.1f}')} % "
                f"without it"
            )
    print_rows(f"one up-vote given at random, {seeds} seeds, {posts:,} posts", rows)


def measure_audit(seeds: int) -> None:
    """Compare the ranker engagement with chronological order on the same seeds; and controversy by
    homophily."""
    for minutes, rounds in ((60, 48), (720, 8)):
        before, now = (
            np.array([audit_run(seed, ranker, minutes, rounds) for seed in range(1, seeds + 1)])
            for ranker in ("chronological", "engagement")
        )
        rows = {}
        for n, name in enumerate(AMPLIFIED):
            rows[f"amplification, {name}"] = (
                f"{show(mean_interval(now[:, n] / before[:, n] - 1), 100, '{:+.1f}')} %"
            )
        for n, name in enumerate(COMPARED, len(AMPLIFIED)):
            rows[f"{name}: chronological"] = show(mean_interval(before[:, n]), form="{:.4f}")
            rows[f"{name}: engagement less chronological"] = show(
                mean_interval(now[:, n] - before[:, n]), form="{:+.4f}"
            )
        print_rows(
            f"engagement to chronological, 3,000 members, {rounds} rounds of {minutes} minutes, {seeds} "
            f"seeds",
            rows,
        )
    print_controversy(seeds)


AMPLIFIED = (
    "posts strongly against (valence to -.5)",
    "posts in between",
    "posts strongly in favour (.5 on)",
    "posts of high arousal (.4 on)",
    "all posts",
    "the 1 % of authors seen most",
    "authors in favour",
    "authors against",
)
COMPARED = ("mean place of a look", "exposure_gini", "cross_cutting", "controversy", "repost_rate")


def audit_run(seed: int, ranker: str, minutes: int, rounds: int) -> list[float]:
    """Count the looks that groups of posts and authors get, and measure; in the order of AMPLIFIED and
    COMPARED."""
    with run_medium(
        seed, members=3_000, rounds=rounds, minutes=minutes, ranker=ranker, activity={"posts": 0.1}
    ) as log:
        looks, posts = Exposed.columns(log), log.columns("posts", ["id", "author", "valence", "arousal"])
        shown = np.bincount(looks["post"].astype(np.int64), minlength=int(posts["id"].max()) + 1)
        shown = shown[posts["id"].astype(np.int64)].astype(np.float64)
        by_author = np.bincount(posts["author"].astype(np.int64), shown, minlength=3_000)
        valence, metrics = posts["valence"], SocialMedia().metrics(log)
        groups = (valence <= -0.5, np.abs(valence) < 0.5, valence >= 0.5, posts["arousal"] >= 0.4)
        return [
            *(shown[group].sum() for group in groups),
            shown.sum(),
            np.sort(by_author)[-30:].sum(),
            metrics["exposure.for"].value,
            metrics["exposure.against"].value,
            float(looks["rank"].mean()),
            *(metrics[name].value for name in COMPARED[1:]),
        ]


def print_controversy(seeds: int) -> None:
    """Print golden values, and controversy of the type's network by homophily."""
    shares = {0.75: [0, 0, 0, 1], 0.25: [1, 2, 3, 4]}
    rows = {f"Gini of {x} (golden {want})": f"{gini(x):.4f}" for want, x in shares.items()}
    for homophily in (0.5, 0.7, 0.9):
        values = []
        for seed in range(seeds):
            side = np.arange(2_000) % 2
            graph = attraction_graph(side, Draw(seed, "controversy"), 20, homophily, 2.3)
            values.append(float(random_walk_controversy(graph, side)))
        rows[f"random-walk controversy, homophily {homophily:g}"] = show(mean_interval(values))
    print_rows(f"golden values, and controversy of the type's network (2,000 members), {seeds} seeds", rows)


def measure_attitudes(seeds: int) -> None:
    """Let three months pass in rounds of a day, by ranker and by rate of the belief rule."""
    rows = {}
    for rate in (0.001, 0.01):
        for ranker in ("chronological", "engagement"):
            found = []
            for seed in range(1, seeds + 1):
                with run_medium(
                    seed, members=500, rounds=90, minutes=1440, ranker=ranker, beliefs={"rate": rate}
                ) as log:
                    table = log.table("rounds")
                    last = table[-1]
                    looks = sum(row["looks"] for row in table) / 45_000
                    found.append(
                        [
                            last["moved"],
                            last["stance_variance"] - last["start_variance"],
                            last["start_variance"],
                            looks,
                        ]
                    )
            moved, change, start, looks = (mean_interval(column) for column in np.array(found).T)
            rows[f"rate {rate}, {ranker}: mean distance moved"] = show(moved, form="{:.4f}")
            rows[f"rate {rate}, {ranker}: change of the variance"] = (
                f"{show(change, form='{:+.4f}')} of {start.value:.3f}; {looks.value:.0f} looks a member and "
                f"day"
            )
    print_rows(f"attitudes after 90 days (scale -1 to 1), {seeds} seeds", rows)


def measure_counter(seeds: int) -> None:
    """Answer half of the authors of hostile posts, at 0, half, full and double the published effect, over
    four weeks."""
    names = (
        "posts of answered authors to the same without effect",
        "the measure counter.posts, to other authors",
        "share who delete, answered less others",
    )
    found = np.array([compare_counters(seed) for seed in range(1, seeds + 1)])
    print_rows(
        f"counter-speech over 28 days (published: -33 % posts, +8.4 points), {seeds} seeds",
        {
            f"{times:g} times: {name}": f"{show(mean_interval(found[:, row, n]), 100, '{:+.1f}')} %"
            for row, times in enumerate(COUNTERED)
            for n, name in enumerate(names)
        },
    )


COUNTERED = (0.0, 0.5, 1.0, 2.0)


def compare_counters(seed: int) -> list[list[float]]:
    """Compute for each size of the effect three shares of change; the same authors are answered in all
    arms."""
    counts, found = [], []
    for times in COUNTERED:
        event = {
            "at": "round 1",
            "kind": "counter",
            "member": "user-000000",
            "text": "Think of those who live there.",
            "below": -0.3,
            "share": 0.5,
            "posts": 0.33 * times,
            "deletion": 0.084 * times,
        }
        with run_medium(seed, [event], members=2_000, rounds=28, minutes=1440) as log:
            countered = Countered.columns(log)
            told = countered["answered"].astype(np.bool_)
            step = np.full(2_000, 99)
            step[countered["member"][told]] = countered["step"][told]
            posts = log.columns("posts", ["author", "step", "kind"])
            since = step[posts["author"].astype(np.int64)]
            counts.append(int(((posts["step"] > since) & (posts["kind"] == "post")).sum()))
            metrics = SocialMedia().metrics(log)
            found.append(
                [counts[-1] / counts[0] - 1, metrics["counter.posts"].value, metrics["counter.deleted"].value]
            )
    return found


PARTS = {
    "veracity": measure_veracity,
    "note": measure_notes,
    "herding": measure_herding,
    "audit": measure_audit,
    "attitudes": measure_attitudes,
    "counter": measure_counter,
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="all by default")
    parser.add_argument("--seeds", type=int, default=10)
    options = parser.parse_args()
    for part in options.parts or PARTS:
        PARTS[part](options.seeds)


if __name__ == "__main__":
    main()
