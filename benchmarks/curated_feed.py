"""Run time of the reference feed study compared with a vectorised NumPy script of the same model without
logging.

Both play 200 users, 12 weeks of 3 sessions of 10 slots, 2,400 items, four rankers and their audits, on one
thread. The script draws from a sequential generator, keeps beliefs in plain float64 and writes no file; the
run draws by name, keeps its numbers on the grid, writes impressions with propensities, the oracle table and
the aggregates, evaluates three rankers beside, and commits each week. Goal: at most 2 times the script's
time.

    python benchmarks/curated_feed.py [repetitions]
"""

import asyncio
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from openiir.runs.engine import Silent, drive
from openiir.runs.prepare import prepare_run
from openiir.runs.settings import Settings
from openiir.runs.study import load_study

USERS, TOPICS, WEEKS, SESSIONS, SLOTS, PER_WEEK, TOP, EPSILON = 200, 8, 12, 3, 10, 200, 50, 0.1
RATE, EXPOSURE, ANCHOR = 0.1, 0.1, 0.003
RANKERS = ("similarity", "history", "popularity", "random")


def cosine(vectors, unit):
    return vectors @ unit.T / np.maximum(np.linalg.norm(vectors, axis=1), 1e-12)[:, None]


def scores_of(ranker, belief, taste, clicks, chart, noise, unit):
    if ranker == "random":
        return noise
    if ranker == "popularity":
        return clicks + 0.5 * noise
    if ranker == "similarity":
        return cosine(belief, unit)
    found, cold = cosine(taste, unit), ~taste.any(axis=1)
    found[cold] = chart + 0.5 * noise[cold]
    return found


def tau(x, y):
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
    clicks, shown, chart, topics = (
        np.zeros(items),
        np.zeros(items),
        np.zeros(items),
        np.zeros((USERS, TOPICS)),
    )
    audited, rows = rng.choice(items // 2, 60, replace=False), np.arange(USERS)
    total, taus = 0, []
    for week in range(WEEKS):
        n, chart = PER_WEEK * (week + 1), clicks.copy()
        for _ in range(SESSIONS):
            mine = slice(0, 50)
            of_audit = scores_of(
                ranker,
                belief[mine],
                taste[mine],
                clicks[audited],
                chart[audited],
                noise[mine][:, audited],
                unit[audited],
            )
            taus.append(tau(of_audit, cosine(belief[mine], unit[audited])))
            found = scores_of(ranker, belief, taste, clicks[:n], chart[:n], noise[:, :n], unit[:n])
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


def plain(seed):
    return {ranker: play(ranker, np.random.default_rng([seed, n])) for n, ranker in enumerate(RANKERS)}


def logged(folder):
    with prepare_run(load_study("curated_feed"), folder, Settings()) as run:
        asyncio.run(drive(run, Settings(), Silent()))


def timed(work):
    start = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - start[0], time.process_time() - start[1]


def main(repetitions=5):
    with tempfile.TemporaryDirectory() as scratch, threadpool_limits(1):
        logged(Path(scratch) / "warm")
        for ranker, numbers in plain(0).items():
            print(f"script, {ranker:10}", " ".join(f"{number:.4f}" for number in numbers))
        ours, theirs = [], []
        for n in range(repetitions):
            theirs.append(timed(lambda n=n: plain(n)))
            ours.append(timed(lambda n=n: logged(Path(scratch) / str(n))))
    for what, at in (("wall", 0), ("CPU", 1)):
        run, script = min(t[at] for t in ours), min(t[at] for t in theirs)
        print(f"{what}: run {run:.2f} s, script {script:.2f} s, ratio {run / script:.2f} (goal: at most 2)")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
