"""Who is seen more under each ranker of a sweep than in chronological order: each side, each group of personas.

python amplification.py SWEEP
"""

import sys
from collections import defaultdict

import numpy as np

import openiir
from openiir.kit.statistics import ratio_of_sums


def count_looks(run):
    """Count the looks at what each side and each group of personas posted, by name."""
    looks, posts, members = (run.table(name) for name in ("social_media_exposed", "posts", "members"))
    author = np.asarray(posts["author"])[np.asarray(looks["post"])]
    stance = np.asarray(members["stance"])
    groups = np.array([persona.traits["group"] for persona in run.personas])
    of_cast = groups[author[author < len(groups)]]  # the personas are the first members
    return {
        "for": int((stance[author] > 0).sum()),
        "against": int((stance[author] < 0).sum()),
        **{str(group): int((of_cast == group).sum()) for group in np.unique(groups)},
    }


def amplify(folder):
    """Yield ranker, side or group, and amplification (Huszár et al., PNAS 2022) less 1 with its 95 % interval over seeds."""
    looks = defaultdict(list)
    for run in openiir.Sweep(folder).runs:
        for name, count in count_looks(run).items():
            looks[run.study["config"]["ranker"], name].append(count)
    for ranker, name in looks:
        if ranker != "chronological":
            found = ratio_of_sums(looks["chronological", name], looks[ranker, name])
            yield ranker, name, found.value - 1, found.low - 1, found.high - 1


if __name__ == "__main__":
    for row in amplify(sys.argv[1]):
        print("{:24} {:14} {:+.3f}  [{:+.3f}, {:+.3f}]".format(*row))
