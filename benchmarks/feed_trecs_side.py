"""T-RECS's side of `feed.py trecs`, run by the interpreter of an environment with T-RECS 0.2.1.

    python benchmarks/feed_trecs_side.py oracle|popularity USERS ITEMS STEPS

Prints JSON: seconds of each step and CPU seconds of each, and the process's peak in MB. T-RECS is used as
published, through its public classes; nothing of it is replaced. `oracle` is the plain base class scoring by
the users' true profiles, which drift towards what they chose: every step scores, ranks and re-scores all
items for all users. `popularity` is its PopularityRecommender with users who never change; at 6,000 x 6,000
it takes more time than `oracle`.
"""

import json
import resource
import sys
import time
import warnings

warnings.simplefilter("ignore")

import numpy as np  # noqa: E402
from trecs.components import Users  # noqa: E402
from trecs.models import PopularityRecommender  # noqa: E402
from trecs.models.recommender import BaseRecommender  # noqa: E402

TOPICS, SLOTS = 12, 10


class Oracle(BaseRecommender):
    """T-RECS recommender that scores by the true profiles, as in the replication of Chaney et al. (2018)."""

    def __init__(self, users, profiles, items):
        many = profiles.shape[0], items.shape[1]
        super().__init__(profiles, items, users, items, many[0], many[1], SLOTS)

    def _update_internal_state(self, interactions):
        self.users_hat.value = self.users.actual_user_profiles.value


def model(kind, users, items):
    rng = np.random.default_rng(1)
    profiles, attributes = rng.normal(size=(users, TOPICS)), rng.normal(size=(TOPICS, items))
    if kind == "oracle":
        who = Users(actual_user_profiles=profiles, num_users=users, drift=0.1, attention_exp=-0.8)
        return Oracle(who, profiles.copy(), attributes)
    who = Users(actual_user_profiles=profiles, num_users=users, attention_exp=-0.8)
    return PopularityRecommender(
        users,
        items,
        actual_user_representation=who,
        actual_item_representation=attributes,
        num_items_per_iter=SLOTS,
    )


def main(kind, users, items, steps):
    run = model(kind, users, items).run
    wall, cpu = [], []
    for _ in range(steps):
        start = time.perf_counter(), time.process_time()
        run(timesteps=1, disable_tqdm=True)
        wall.append(time.perf_counter() - start[0])
        cpu.append(time.process_time() - start[1])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"wall": wall, "cpu": cpu, "peak": peak}))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
