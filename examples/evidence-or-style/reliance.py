"""What detectors rely on, and which posts stand up to them, by the cost of look-ups and the harshness of moderation.

python reliance.py SWEEP
"""

import sys
from collections import defaultdict

import numpy as np

import openiir
from openiir.core.storage import Log, RunFile
from openiir.kit.statistics import mean_interval, paired_difference
from openiir.scenarios.multi_generational.model.credibility.beliefs import SUPPORT_SPREAD, USUAL_SUPPORT
from openiir.scenarios.multi_generational.model.credibility.text_cues import CUES, measure_cues
from openiir.scenarios.multi_generational.run.actions import Judged, Posted
from openiir.scenarios.multi_generational.run.births import read_birth_history

LAST = 5
"""Generations at the end; of 25 pairs, ten a generation, they meet each one twice."""
ALIKE = 0.5
"""Hazard at which the posts of every arm are moderated anew, to tell how they are judged from how hard a judgement hits."""


def split_judgements(run, generations):
    """Yield of each generation: log-odds of being false by evidence, by style and beforehand, what came of them, and posts.

    Tables are (detectors, posts); the posts of a pair follow each other, the true version first.
    """
    with RunFile.open(run.folder) as file:
        log = Log(file)
        births = read_birth_history(log, "detector").births
        texts, judged = defaultdict(list), defaultdict(list)
        for _, one in Posted.read(log):
            texts[one.generation] += one.texts
        for _, one in Judged.read(log):
            judged[one.generation].append(one)
    for generation in generations:
        genes = [birth.genome.values for birth in births[generation]]
        depth = np.array([gene["retrieval.depth"] for gene in genes])
        trust = np.array([gene["weight.evidence"] for gene in genes]) * (0.3 + 0.07 * depth)
        support = np.array([one.evidence for one in judged[generation]], dtype=float)
        evidence = -trust[:, None] * np.nan_to_num((support - USUAL_SUPPORT) / SUPPORT_SPREAD)
        weights = np.array([[gene[f"weight.{name}"] for name in CUES] for gene in genes])
        yield {
            "evidence": evidence, "style": weights @ measure_cues(texts[generation]).T,
            "prior": np.array([[gene["bio.suspicion"]] for gene in genes]), "depth": depth,
            "p": np.array([one.p for one in judged[generation]]), "posts": texts[generation],
        }  # fmt: skip


def share_landed(p, posts, hazard, rounds):
    """Return the mean chance of true and of false posts to outlast moderation."""
    stands = (1 - hazard * p.mean(axis=0)) ** rounds * np.array([bool(text) for text in posts])
    return stands[::2].mean(), stands[1::2].mean()


def measure_generations(run, generations):
    """Return means over some generations of a run; evidence and style count by their standard deviation over posts."""
    config, found = run.study["config"], defaultdict(list)
    own = [row for row in run.table("generations").to_pylist() if row["arm"] == config["arm"]]
    rows = [row for row in own if row["generation"] in generations]
    for row, one in zip(rows, split_judgements(run, generations), strict=True):
        true, false = share_landed(one["p"], one["posts"], ALIKE, config["rounds"])
        for name, value in {
            "passages read": one["depth"].mean(), "of them posts": row["reads_posts_detector"],
            "evidence": one["evidence"].std(axis=1).mean(), "style": one["style"].std(axis=1).mean(), "AUC": row["auc"],
            "true land": row["landing_true"], "false land": row["landing"],
            "true, moderated alike": true, "false, moderated alike": false,
        }.items():  # fmt: skip
            found[name].append(value)
    return {name: float(np.mean(values)) for name, values in found.items()}


def average_levels(runs, key):
    """Return for each measure and level of a key its values by seed, averaged over all other settings."""
    values = defaultdict(lambda: defaultdict(list))
    for run, found in runs:
        for name, value in found.items():
            values[name, run.study["config"][key]][run.study["seed"]].append(value)
    return {place: [float(np.mean(some)) for _, some in sorted(by.items())] for place, by in values.items()}


def report(title, runs, key):
    """Print means over seeds at each level of a key, and differences from its first level, with 95 % intervals."""
    print(f"\n{title} by {key}")
    first = {}
    for (name, level), values in average_levels(runs, key).items():
        base = first.setdefault(name, values)
        found = [mean_interval(values)] + [paired_difference(base, values)] * (base is not values)
        words = [f"{one.value:7.3f} [{one.low:6.3f}, {one.high:6.3f}]" for one in found]
        print(f"  {name:24}{level:<6}{'   difference '.join(words)}")


if __name__ == "__main__":
    runs = openiir.Sweep(sys.argv[1]).runs
    end = runs[0].study["config"]["generations"]
    report("founders", [(run, measure_generations(run, range(1))) for run in runs], "generations")
    last = [(run, measure_generations(run, range(end - LAST, end))) for run in runs]
    for key in ("depth_cost", "hazard"):
        report(f"last {LAST} generations", last, key)
