"""The social medium beside published figures, with 95 % intervals over seeds.

    python benchmarks/medium_targets.py [veracity note herding audit attitudes counter] [--seeds 10]

Each part runs the type offline, members as numbers alone, or the kit's part of it alone, and prints a table.
Figures that are put in by calibration are printed beside what a whole run makes of them.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import numpy as np
import typer

from lab.cascades.branching import branching_cascades
from lab.cascades.size_matching import compare_at_equal_size
from measuring import print_table, run_command, run_study, show
from openiir.core.seeds import Draw
from openiir.core.storage import RunFile
from openiir.kit.networks import attraction_graph, random_walk_controversy
from openiir.kit.statistics import mean_interval
from openiir.plugin import Log
from openiir.scenarios.social_media import SocialMedia
from openiir.scenarios.social_media.measures.metrics import build_cascades
from openiir.scenarios.social_media.model.activity import reaction_quantile, reaction_share
from openiir.scenarios.social_media.model.cascades import CascadeTrees
from openiir.scenarios.social_media.model.posts.reactions import (
    ACTIONS,
    NOTE_EFFECT,
    ReactionFeatures,
    ReactionRule,
)
from openiir.scenarios.social_media.run.actions import Countered, Exposed, Injected

DRAW = Draw(1, "benchmark.medium_targets")
LIKE, DISLIKE, REPOST = (ACTIONS.index(name) for name in ("like", "dislike", "repost"))
HERDED = 5_000
QUIET = {"activity": {"posts": 0.0}, "follows": {"rate": 0.0, "leave": 0.0}}
"""Nobody posts but by events, and nobody begins or stops to follow."""


@contextmanager
def run_medium(seed: int, events: Sequence[Mapping[str, Any]] = (), **config: Any) -> Iterator[Log]:
    """Run a study with these events and keys; gives its log."""
    config = {"statement": "The bridge should be closed", "topics": ["traffic", "noise"], **config}
    study = {"type": "social_media", "seed": seed, "personas": [], "event": list(events), "config": config}
    with TemporaryDirectory() as folder, RunFile.open(run_study(study, Path(folder) / "run")) as run:
        yield Log(run)


def make_posts(number: int, veracity: Sequence[str] = ("",)) -> list[dict[str, Any]]:
    """Make events in which those with most followers post in the first round, by turns of this veracity."""
    first = {"at": "round 1", "kind": "post", "text": "Look."}
    return [
        first
        | {"post": f"post-{n}", "member": f"followed-{n + 1}"}
        | ({"veracity": kind} if (kind := veracity[n % len(veracity)]) else {})
        for n in range(number)
    ]


def show_mean(values: Sequence[float], form: str = ".3f") -> str:
    return show(mean_interval(values), form)


def show_percent(shares: Sequence[float], form: str = "+.1f") -> str:
    return f"{show(mean_interval(shares), form, 100)} %"


def print_rows(title: str, rows: Mapping[str, str]) -> None:
    print()
    print_table(f"{title} | ", rows.items())


def measure_veracity(seeds: int) -> None:
    """Compare false with true posts by the same kind of authors: how often they are reposted, and how they
    spread."""
    ratios, sets, looked = [], ([], []), []
    for seed in range(1, seeds + 1):
        posts = make_posts(600, ("false", "true"))
        with run_medium(seed, posts, members=20_000, rounds=48, reproduction=0.8, **QUIET) as log:
            ratios.append(SocialMedia().metrics(log)["false_to_true"].value)
            looks, trees = Exposed.columns(log), build_cascades(log)
            looked.append(float(len(looks["post"])))
            for part, veracity in zip(sets, ("false", "true"), strict=True):
                posts = [one.post for _, one in Injected.read(log) if one.veracity == veracity]
                part.append(describe_trees(trees, np.isin(trees.shares.item[trees.roots], posts)))
    print_rows(
        f"false beside true posts, {seeds} seeds, 300 of each",
        {
            "reposts a look, false to true (target 1.7 +/- .15)": show_mean(ratios),
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
    rows = {}
    for hours in (2, 6, 13, 13.5, 14, 24):
        ever = 100 * after * (1 - float(reaction_share(60 * hours)))
        rows[f"note after {hours:g} h"] = f"-{100 * after:.1f} % after it, -{ever:.1f} % ever"
    both = float(reaction_quantile(1 - 0.114 / after)) / 60
    rows["delay at which -45.7 and -11.4 % hold at once (published: both)"] = f"{both:.2f} h"
    print_rows("note, direct reposts by the kernel alone, without an end", rows)
    found = np.array([compare_notes(seed, 810) for seed in range(1, seeds + 1)]).T
    after_it = (f"{what} after it" for what in ("reposts a look", "direct reposts", "reposts"))
    names = (*after_it, "direct reposts", "reposts")
    changes = {name: show_percent(row) for name, row in zip(names, found, strict=True)}
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
    looks = Exposed.columns(log)
    owner = {one.post: log.members.row(event.actor) for event, one in Injected.read(log)}
    looks = {name: column[np.isin(looks["post"], [*owner])] for name, column in looks.items()}
    again = looks["did"] == REPOST
    direct = again & (looks["shown_by"] == np.array([owner[post] for post in looks["post"].tolist()]))
    late = looks["minute"] >= minutes
    counts = [float(one.sum()) for one in (direct & late, again & late, direct, again)]
    return [counts[1] / float(late.sum()), *counts]


def measure_herding(seeds: int) -> None:
    """Give posts one up-vote before anybody sees them: chance of a like, and score after some readers."""
    rows = {}
    for like, dislike, name in ((0.03, 0.003, "the default rates"), (0.05, 0.02, "likes 5 %, dislikes 2 %")):
        rule = ReactionRule(like=like, dislike=dislike)
        sample = ReactionFeatures(np.linspace(-0.5, 0.5, 101), 0.3, 0.3)
        model = rule.calibrate(sample, 0.02)
        chances = [model.probabilities(sample._replace(score=score))[:, LIKE].mean() for score in (0, 1, -1)]
        rows[f"{name}: chance of a like at a score of 1 (published 1.32) and -1, to 0"] = (
            f"{chances[1] / chances[0]:.4f} and {chances[2] / chances[0]:.4f}"
        )
        for readers in (20, 100, 500):
            finals = np.array(
                [[score_posts(model, s, readers, given) for given in (0, 1)] for s in range(seeds)]
            )
            whole, rest = finals[:, 1] / finals[:, 0] - 1, (finals[:, 1] - 1) / finals[:, 0] - 1
            rows[f"{name}: final score after {readers} readers (published +25 %)"] = (
                f"+{show_percent(whole, '.1f')} with the vote given, +{show_percent(rest, '.1f')} without it"
            )
    print_rows(f"one up-vote given at random, {seeds} seeds, {HERDED:,} posts", rows)


def score_posts(model: ReactionRule, seed: int, readers: int, given: int) -> float:
    """Compute the mean score of posts after so many readers, from the score that they are given."""
    posts = np.arange(HERDED)
    score = np.full(HERDED, float(given))
    for reader in range(readers):
        draw = Draw(seed, "benchmark.herding").at("react", agent=reader, item=posts)
        stance = DRAW.at("stance", item=posts).uniform(agent=reader) - 0.5
        did = draw.choices(ACTIONS, model.utilities(ReactionFeatures(stance, 0.3, 0.3, score)))
        score += (did == LIKE).astype(float) - (did == DISLIKE)
    return score.mean()


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
            rows[f"amplification, {name}"] = show_percent(now[:, n] / before[:, n] - 1)
        for n, name in enumerate(COMPARED, len(AMPLIFIED)):
            rows[f"{name}: chronological"] = show_mean(before[:, n], ".4f")
            rows[f"{name}: engagement less chronological"] = show_mean(now[:, n] - before[:, n], "+.4f")
        title = f"3,000 members, {rounds} rounds of {minutes} minutes, {seeds} seeds"
        print_rows(f"engagement to chronological, {title}", rows)
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
    times = {"rounds": rounds, "minutes": minutes}
    with run_medium(seed, members=3_000, ranker=ranker, activity={"posts": 0.1}, **times) as log:
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
    """Print the controversy of the type's network by homophily."""
    rows, side, draws = {}, np.arange(2_000) % 2, [Draw(seed, "controversy") for seed in range(seeds)]
    for homophily in (0.5, 0.7, 0.9):
        graphs = (attraction_graph(side, draw, 20, homophily, 2.3) for draw in draws)
        values = [float(random_walk_controversy(graph, side)) for graph in graphs]
        rows[f"random-walk controversy, homophily {homophily:g}"] = show_mean(values)
    print_rows(f"controversy of the type's network (2,000 members), {seeds} seeds", rows)


def measure_attitudes(seeds: int) -> None:
    """Let three months pass in rounds of a day, by ranker and by rate of the belief rule."""
    rows = {}
    for rate in (0.001, 0.01):
        for ranker in ("chronological", "engagement"):
            found = np.array([measure_drift(seed, rate, ranker) for seed in range(1, seeds + 1)])
            moved, change, start, looks = found.T
            rows[f"rate {rate}, {ranker}: mean distance moved"] = show_mean(moved, ".4f")
            means = f"{start.mean():.3f}; {looks.mean():.0f} looks a member and day"
            rows[f"rate {rate}, {ranker}: change of the variance"] = f"{show_mean(change, '+.4f')} of {means}"
    print_rows(f"attitudes after 90 days (scale -1 to 1), {seeds} seeds", rows)


def measure_drift(seed: int, rate: float, ranker: str) -> list[float]:
    """Measure the distance moved, the change of the variance, its start, and looks a member and day."""
    days = {"members": 500, "rounds": 90, "minutes": 1440}
    with run_medium(seed, ranker=ranker, beliefs={"rate": rate}, **days) as log:
        table = log.table("rounds")
        last, looks = table[-1], sum(row["looks"] for row in table) / 45_000
        return [
            last["moved"],
            last["stance_variance"] - last["start_variance"],
            last["start_variance"],
            looks,
        ]


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
            f"{times:g} times: {name}": show_percent(found[:, row, n])
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
        event = {"at": "round 1", "kind": "counter", "member": "user-000000", "below": -0.3, "share": 0.5}
        event |= {"text": "Think of those who live there.", "posts": 0.33 * times, "deletion": 0.084 * times}
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


def main(parts: Annotated[list[str], typer.Argument()] = tuple(PARTS), seeds: int = 10) -> None:
    for part in parts:
        PARTS[part](seeds)


if __name__ == "__main__":
    run_command(main)
