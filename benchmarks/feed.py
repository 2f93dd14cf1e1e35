"""Speed of the curated feed: beside a plain script of the same model, by number of users, and beside T-RECS.

    python benchmarks/feed.py script [--repeats 5]
    python benchmarks/feed.py scale [10000 100000 1000000]
    python benchmarks/feed.py trecs trecs/bin/python [--users 6000] [--items 6000] [--steps 4]

`script`: the reference feed beside a vectorised NumPy script of the same model. Both play 200 users, 12 weeks
of 3 sessions of 10 slots, 2,400 items, four rankers and their audits, on one thread. The script draws from a
sequential generator, keeps beliefs in plain float64 and writes no file; the run draws by name, keeps its
numbers on the grid, writes impressions with propensities, the oracle table and the aggregates, evaluates
three rankers beside, and commits each week. Goal: at most 2 times the script's time.

`scale`: 12 topics, one slate of 10 from 50 candidates a week, 12 weeks, one feed, impressions kept of 1,000
users; each run is a process of its own and begins with a small run, whose imports and first calls are not
counted. "Marginal" is the time per user-week between a size and the one before. The least bytes that a
user-week has to move are compared with NumPy's copy of an array far beyond the caches. Goals: at most 1.2
times the time per user at the largest size as at the smallest, at most 8 GB.

`trecs`: T-RECS 0.2.1 (Lucherini et al. 2021) pins pandas 1.0.5, so it runs under an interpreter of its own:

    python3.8 -m venv trecs && trecs/bin/pip install trecs==0.2.1 numpy==1.23.5

The work of a step: every user ranks every item by the dot product of 12 numbers, is shown the best 10,
chooses, and changes. Ours are sessions of a study, which do more: items already shown are left out, one slate
in ten is shuffled, ten positions are gone through one after the other, and every impression is logged with
its propensities, beside the oracle table and the aggregates. T-RECS chooses one item of the slate a step and
keeps its users' scores. T-RECS is measured with two models, and the goals are counted against the better of
the two. A step of T-RECS is the mean of those after the first; a session of ours is the difference between a
long run and one of a single session, divided by the sessions between them. Goals: at least 40 times as fast,
at most a quarter of the memory.
"""

import json
import os
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from threadpoolctl import threadpool_limits

from measuring import (
    ONE_THREAD,
    Sizes,
    in_new_process,
    peak_megabytes,
    print_table,
    run_command,
    run_study,
    spend,
)

USERS, TOPICS, WEEKS, SESSIONS, SLOTS, PER_WEEK, TOP, EPSILON = 200, 8, 12, 3, 10, 200, 50, 0.1
RATE, EXPOSURE, ANCHOR = 0.1, 0.1, 0.003
RANKERS = ("similarity", "history", "popularity", "random")


def cosine(vectors, unit):
    return vectors @ unit.T / np.maximum(np.linalg.norm(vectors, axis=1), 1e-12)[:, None]


def score_items(ranker, belief, taste, clicks, chart, noise, unit):
    if ranker == "random":
        return noise
    if ranker == "popularity":
        return clicks + 0.5 * noise
    if ranker == "similarity":
        return cosine(belief, unit)
    found, cold = cosine(taste, unit), ~taste.any(axis=1)
    found[cold] = chart + 0.5 * noise[cold]
    return found


def kendall(x, y):
    one, two = np.triu_indices(x.shape[1], 1)
    a, b = np.sign(x[:, one] - x[:, two]), np.sign(y[:, one] - y[:, two])
    return ((a * b).sum(1) / np.sqrt((a != 0).sum(1) * (b != 0).sum(1))).mean()


def play(ranker, rng):
    items = PER_WEEK * WEEKS
    start = np.clip(rng.normal(0, 0.35, (USERS, TOPICS)), -1, 1)
    belief, taste = start.copy(), np.zeros((USERS, TOPICS))
    theta, valence = rng.dirichlet([0.2] * TOPICS, items), rng.uniform(-1, 1, items)
    quality, x = rng.normal(0, 0.5, items), valence[:, None] * theta
    unit = x / np.linalg.norm(x, axis=1)[:, None]
    noise, seen = rng.random((USERS, items)), np.zeros((USERS, items), bool)
    clicks, shown, topics = np.zeros(items), np.zeros(items), np.zeros((USERS, TOPICS))
    audited, rows = rng.choice(items // 2, 60, replace=False), np.arange(USERS)
    total, taus = 0, []
    for week in range(WEEKS):
        n, chart = PER_WEEK * (week + 1), clicks.copy()
        for _ in range(SESSIONS):
            by_item = clicks[audited], chart[audited], noise[:50, audited], unit[audited]
            judged = score_items(ranker, belief[:50], taste[:50], *by_item)
            taus.append(kendall(judged, cosine(belief[:50], unit[audited])))
            found = score_items(ranker, belief, taste, clicks[:n], chart[:n], noise[:, :n], unit[:n])
            found = np.where(seen[:, :n], -np.inf, found)
            top = np.argpartition(found, n - TOP, axis=1)[:, n - TOP :]
            order = np.argsort(-np.take_along_axis(found, top, 1), axis=1)
            top = np.take_along_axis(top, order, 1)
            slate, shuffled = top[:, :SLOTS].copy(), rng.random(USERS) < EPSILON
            places = np.argsort(rng.random((USERS, TOP)), axis=1)[:, :SLOTS]
            slate[shuffled] = np.take_along_axis(top, places, 1)[shuffled]
            for slot in range(SLOTS):
                item, look = slate[:, slot], 1 / (slot + 1)
                agree = (belief * unit[item]).sum(1) / np.linalg.norm(belief, axis=1)
                chance = look / (1 + np.exp(1 - 2 * agree - quality[item]))
                click = rng.random(USERS) < chance
                weight = np.where(click, 1.0, EXPOSURE * look)
                belief = belief + RATE * weight[:, None] * theta[item] * (valence[item][:, None] - belief)
                clicks += np.bincount(item, click, items)
                shown += np.bincount(item, minlength=items)
                taste += click[:, None] * x[item]
                topics += theta[item]
                seen[rows, item] = True
                total += click.sum()
            belief = belief + ANCHOR * (start - belief)
    share = topics / topics.sum(1, keepdims=True)
    entropy = -(share * np.log(share)).sum(1).mean() / np.log(TOPICS)
    drift = np.linalg.norm(belief - start, axis=1).mean()
    return belief.var(axis=0).mean(), total / shown.sum(), np.nanmean(taus), entropy, drift


def play_rankers(seed):
    return {ranker: play(ranker, np.random.default_rng([seed, n])) for n, ranker in enumerate(RANKERS)}


def time_script(repeats: int = 5) -> None:
    with TemporaryDirectory() as scratch, threadpool_limits(1):
        run_study("curated_feed", Path(scratch) / "warm")
        for ranker, numbers in play_rankers(0).items():
            print(f"script, {ranker:10}", " ".join(f"{number:.4f}" for number in numbers))
        turns = [
            (
                spend(lambda n=n: run_study("curated_feed", Path(scratch) / str(n))),
                spend(lambda n=n: play_rankers(n)),
            )
            for n in range(repeats)
        ]
    for what, at in (("wall", 0), ("CPU", 1)):
        run, script = (min(one[at] for one in column) for column in zip(*turns, strict=True))
        print(f"{what}: run {run:.2f} s, script {script:.2f} s, ratio {run / script:.2f} (goal: at most 2)")


def measure_feed(**config: object) -> dict[str, float]:
    """Measure one run in this process, with its peak of memory."""
    plain = {"topics": 12, "slots": 10, "candidates": 50, "ranker": "similarity", "beside": []}
    study = {"type": "curated_feed", "config": {**plain, **config}}
    with TemporaryDirectory() as scratch:
        took = spend(lambda: run_study(study, Path(scratch) / "run"))
    return {**took._asdict(), "peak": peak_megabytes()}


def measure_size(users: int) -> dict[str, float]:
    weekly = {"weeks": 12, "sessions": 1, "pool": 50, "items": {"per_week": PER_WEEK}}
    measure_feed(users=100, kept=1.0, **weekly)
    return measure_feed(users=users, kept=min(1.0, 1000 / users), **weekly)


def copied_a_second() -> float:
    """Measure the bytes that NumPy reads and writes per second when copying, the best of five."""
    source = np.ones(2**26)
    target = np.zeros_like(source)
    return 2 * source.nbytes / min(spend(lambda: np.copyto(target, source)).wall for _ in range(5))


def time_scale(users: Sizes = (10_000, 100_000, 1_000_000)) -> None:
    speed = in_new_process(copied_a_second)
    # Read and written: beliefs, tastes, evidence, exposure, first beliefs read (9 rows of 12 numbers), two
    # counters, a bit per item, candidates and slate.
    least = int(9 * 12 * 8 + 2 * 2 * 8 + (WEEKS + 1) * PER_WEEK / 8 + 2 * 8 * (50 + SLOTS))
    print(f"copying: {speed / 1e9:.1f} GB/s; the least a user-week moves: {least} bytes\n")
    each, marginal = {}, {}
    head = "users | whole run, s (CPU) | a user-week, us (CPU) | marginal | user-weeks/s | peak, MB"
    print_table(f"{head} | share of the copy's speed", scale_rows(users, least / speed, each, marginal))
    for what, costs in (("a user-week", each), ("the same, marginal", marginal)):
        if len(costs) > 1:
            first, *_, last = costs.values()
            ratios = (b / a for a, b in zip(first, last, strict=True))
            print("{}, last to first: {:.2f} (CPU {:.2f}); goal 1.2".format(what, *ratios))


def scale_rows(users, ideal, each, marginal):
    """Yield a row for each size; keep the microseconds of each size in the last two arguments."""
    before = None
    for size in users:
        found = in_new_process(measure_size, size)
        costs = np.array([found["wall"], found["cpu"]])
        each[size] = costs / (size * WEEKS) * 1e6
        if before:
            marginal[size] = (costs - before[1]) / ((size - before[0]) * WEEKS) * 1e6
        whole, own, more = (
            "{:.2f} ({:.2f})".format(*pair) if pair is not None else "-"
            for pair in (costs, each[size], marginal.get(size))
        )
        share = ideal / (each[size][1] * 1e-6)
        yield (
            f"{size:,}",
            whole,
            own,
            more,
            f"{1e6 / each[size][0]:,.0f}",
            f"{found['peak']:.0f}",
            f"{share:.1%}",
        )
        before = size, costs


def measure_session(users: int, items: int, sessions: int) -> dict[str, float]:
    return measure_feed(users=users, items={"per_week": items}, weeks=1, sessions=sessions)


def run_trecs(python: str, *words: object) -> dict:
    """Run T-RECS's side, and read the JSON that it prints."""
    side = Path(__file__).resolve().with_name("feed_trecs_side.py")
    command = [Path(python).absolute(), "-W", "ignore", side, *map(str, words)]
    with TemporaryDirectory() as scratch:  # T-RECS leaves a log where it runs
        done = subprocess.run(
            command, check=True, stdout=subprocess.PIPE, env=os.environ | ONE_THREAD, cwd=scratch
        )
    return json.loads(done.stdout)


def compare_trecs(python: str, users: int = 6_000, items: int = 6_000, steps: int = 4) -> None:
    in_new_process(measure_session, 100, 600, 1)  # so that nothing is read from disk for the first time
    one, many = (in_new_process(measure_session, users, items, n) for n in (1, 1 + 2 * steps))
    session = {what: (many[what] - one[what]) / (2 * steps) for what in ("wall", "cpu")}
    print(
        f"openiir, a session: {session['wall']:.2f} s, {session['cpu']:.2f} s CPU,",
        f"peak {many['peak']:.0f} MB; whole run: {many['wall']:.1f} s, {many['cpu']:.1f} s CPU",
    )
    ratios = []
    for kind in ("oracle", "popularity"):
        theirs = run_trecs(python, kind, users, items, steps)
        wall, cpu = (np.mean(theirs[what][1:]) for what in ("wall", "cpu"))
        ratios.append((wall / session["wall"], cpu / session["cpu"], many["peak"] / theirs["peak"]))
        print(
            f"T-RECS, {kind}, a step: {wall:.2f} s, {cpu:.2f} s CPU, peak {theirs['peak']:.0f} MB:",
            "{:.0f} times ours, CPU {:.0f} times; {:.2f} of the memory".format(*ratios[-1]),
        )
    wall, cpu, memory = zip(*ratios, strict=True)
    print(
        f"the better of each: {min(wall):.0f} times (CPU {min(cpu):.0f}; goal 40),",
        f"{max(memory):.2f} of the memory (goal 0.25)",
    )


if __name__ == "__main__":
    run_command(script=time_script, scale=time_scale, trecs=compare_trecs)
