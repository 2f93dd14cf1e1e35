"""Cascades by the spreading rules of the social medium, fitted to half of the real ones of Twitter15, beside
the other half.

    OPENIIR_DATA=... python benchmarks/medium_cascades.py [--simulations 120] [--workers 2]

The rules are those of the type, on the kit alone: its network with hubs and homophily, posts as its crowd
writes them, its repost decision (no look twice), SEISMIC's delays. `check_type` compares both on one setting.
Fitted by approximate Bayesian computation are the reproduction number, the hubs' exponent and the standard
deviation of posts' log-odds of being reposted (0 in the type, whose posts differ by novelty and arousal
alone), given at least the smallest size in the data.

Sources are drawn by their followers and posts by their odds, and cascades weighted back to what the type
does, in which anybody may post: few of them would have the smallest size. The baseline is branching with
Poisson offspring from the same smallest size on, with the same delays. Trees are split by source tweet.
"""

from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from scipy.stats import ks_2samp

from lab.cascades.rumour_trees import read_rumour_trees
from lab.cascades.size_law import SizeLaw, cascades_of_sizes
from lab.cascades.spreading import Exposures, spread_items
from lab.fitting import Parameter, maximise_likelihood, simulate_prior
from measuring import data_folder, print_table, run_command, run_study, show
from openiir.core.seeds import Draw
from openiir.core.storage import Log, RunFile
from openiir.kit.arrays import Bools, Floats
from openiir.kit.networks import FollowerGraph, attraction_graph
from openiir.kit.statistics import Estimate, mean_interval
from openiir.scenarios.social_media.config import SocialMediaConfig
from openiir.scenarios.social_media.measures.metrics import build_cascades
from openiir.scenarios.social_media.model.activity import draw_delays
from openiir.scenarios.social_media.model.cascades import CascadeTrees, p_for_reproduction
from openiir.scenarios.social_media.model.posts.reactions import ACTIONS, ReactionFeatures

DRAW = Draw(1, "benchmark.medium_cascades")
SPLIT = Draw(1, "benchmark.fitting")
REPOST = ACTIONS.index("repost")
MEMBERS, SOURCES, SMALLEST, LARGEST, WEEK = 50_000, 300, 56, 2_990, 7 * 24 * 60.0
FITTED = (
    Parameter("reproduction", 0.05, 0.6, log=True),
    Parameter("hubs", 2.02, 2.8),
    Parameter("appeal", 0.0, 1.2),
)
BINS = np.linspace(-1, 1, 201)
"""Stances for which the chances of a repost are tabled."""


@dataclass(frozen=True, eq=False)
class Society:
    """A network, and where its members stand."""

    graph: FollowerGraph
    stance: Floats

    @classmethod
    def draw(cls, config: SocialMediaConfig, draw: Draw) -> "Society":
        rows = np.arange(config.members)
        normal = draw.at("stance").normal(config.stance_mean, config.stance_sd, agent=rows)
        stance = np.clip(normal, -1, 1)
        side = stance > np.median(stance)
        follows = attraction_graph(side, draw.at("follows"), config.followees, config.homophily, config.hubs)
        return cls(follows, stance)


@dataclass(frozen=True, eq=False)
class RepostDecision:
    """The type's decision at the first look: by a post's chance for the reader's stance, and who shows it."""

    chance: Floats
    """(2, items, bins): shown by the author or by a reposter."""
    bin: np.ndarray
    author: np.ndarray

    def decide(self, exposures: Exposures, draw: Draw) -> Bools:
        reposted = (exposures.shown_by != self.author[exposures.item]).astype(np.int64)
        chance = self.chance[reposted, exposures.item, self.bin[exposures.member]]
        unit = draw.at("share").uniform(agent=exposures.member, item=exposures.item)
        return (exposures.ordinal == 1) & (unit < chance)


def make_config(members: int, reproduction: float, hubs: float, **more: object) -> SocialMediaConfig:
    return SocialMediaConfig(
        statement="The bridge should be closed",
        topics=("traffic",),
        members=members,
        reproduction=reproduction,
        hubs=hubs,
        **more,
    )


def spread_posts(
    config: SocialMediaConfig,
    society: Society,
    author: np.ndarray,
    appeal: Floats,
    draw: Draw,
    largest: float = np.inf,
    content: dict[str, Floats] | None = None,
) -> CascadeTrees:
    """Spread a post of each author, with log-odds `appeal` beside what it says; times are minutes.

    What posts say is drawn as the type's crowd writes, unless it is given. Those seen to grow beyond
    `largest` shares are left out early.
    """
    rows, stance = np.arange(len(author)), society.stance
    sample, some = draw.at("sample"), np.arange(2_000)
    reader, writer = (sample.at(who).below(config.members, item=some) for who in ("reader", "writer"))
    typical = config.writing.draw(stance[writer], np.zeros(2_000), sample.at(item=some))
    features = ReactionFeatures(stance[reader] * typical["valence"], typical["novelty"], typical["arousal"])
    model = config.reactions.calibrate(features, p_for_reproduction(society.graph, config.reproduction))
    post = content or config.writing.draw(stance[author], np.zeros(len(author)), draw.at("post", item=rows))
    valence, novelty, arousal = (post[name][:, None] for name in ("valence", "novelty", "arousal"))
    chance = []
    for reposts in (0, 1):
        utility = model.utilities(ReactionFeatures(BINS * valence, novelty, arousal, reposts=reposts))
        utility[..., REPOST] += appeal[:, None]
        odds = np.exp(utility)
        chance.append(odds[..., REPOST] / odds.sum(axis=-1))
    bins = np.rint((stance + 1) * 100).astype(np.int64)
    rule, left = RepostDecision(np.array(chance), bins, author), rows
    for steps in (3, None):  # draws are named: more steps go on with the same cascades
        trees = spread_items(society.graph, author[left], rule, draw.at("spread"), left, steps=steps).trees()
        left = trees.shares.item[trees.roots][trees.size <= largest]
    return add_delays(trees, draw.at("delay"))


def add_delays(trees: CascadeTrees, draw: Draw) -> CascadeTrees:
    """Give each share the time of the share that it was shown, and a delay of SEISMIC's kernel."""
    shares, minute = trees.shares, np.zeros(len(trees.parent))
    delay = draw_delays(draw, shares.member, shares.item)
    for rows in trees.levels[1:]:
        minute[rows] = minute[trees.parent[rows]] + delay[rows]
    return CascadeTrees(shares._replace(time=minute), trees.parent, trees.tree, trees.depth, trees.levels)


MEASURES = ("size, log", "depth", "structural virality", "minutes to half of the first week's shares, log")


def measure(trees: CascadeTrees) -> Floats:
    """Measure each tree (n, 4), in the order of MEASURES."""
    half = measure_until(trees, WEEK)[:, 2]
    return np.column_stack([np.log(trees.size), trees.max_depth, trees.virality, np.log1p(half)])


def summarise(found: Floats) -> Floats:
    """Summarise the structure of cascades; times have no parameter here."""
    size, depth, virality = found[:, 0], np.log(found[:, 1]), np.log(np.maximum(found[:, 2] - 1.9, 0.01))
    return np.array(
        [*np.quantile(size, [0.1, 0.5, 0.9]), depth.mean(), depth.std(), virality.mean(), virality.std()]
    )


def simulate_large(values: Floats, draw: Draw) -> Floats:
    """Simulate cascades of the smallest size or more; measures (n, 4) of a sample, none if there are few."""
    reproduction, hubs, spread = map(float, values)
    config = make_config(MEMBERS, reproduction, hubs)
    society = Society.draw(config, draw.at("society"))
    followers = society.graph.followers.degrees.astype(np.float64)
    chance = np.where(followers > 2, followers, 0.0)
    ends, rows = np.cumsum(chance), np.arange(SOURCES)
    author = np.searchsorted(ends, draw.at("author").uniform(item=rows) * ends[-1])
    z = draw.at("appeal").normal(item=rows) + 1.0
    trees = spread_posts(config, society, author, spread * z, draw, LARGEST)
    large = (trees.size >= SMALLEST) & (trees.size <= LARGEST)
    weight = (np.exp(0.5 - z) / followers[author])[trees.shares.item[trees.roots]][large]
    if large.sum() < 10:
        return np.zeros((0, len(MEASURES)))
    unit = draw.at("resample").uniform(item=np.arange(500))
    places = np.searchsorted(np.cumsum(weight), unit * weight.sum())
    return measure(trees)[large][places]


def summarise_large(values: Floats, draw: Draw) -> Floats:
    found = simulate_large(values, draw)
    return summarise(found) if len(found) else np.full(7, np.nan)


def predict_branching(sizes: np.ndarray, draw: Draw) -> Floats:
    """Fit Poisson branching to sizes within the data's range; measure cascades drawn from it."""

    def log_likelihood(values: Floats) -> Floats:
        return SizeLaw(values[0], np.inf, SMALLEST, LARGEST).log_probability(sizes)

    fit = maximise_likelihood(log_likelihood, (Parameter("reproduction", 0.01, 0.999),))
    print("Poisson branching:", fit.estimates()["reproduction"])
    law = SizeLaw(fit.peak["reproduction"], np.inf, SMALLEST, LARGEST)
    return measure(add_delays(cascades_of_sizes(law.draw(5_000, draw), draw), draw.at("delay")))


def held_out_rows(observed: Floats, predicted: dict[str, Floats]):
    """Yield KS distances to the held-out trees, with percentiles over resamples of those."""
    rows = np.arange(500)[:, None], np.arange(len(observed))
    places = DRAW.at("bootstrap").below(len(observed), item=rows[1], step=rows[0])
    for n, what in enumerate(MEASURES):
        found = {
            name: np.array([find_distance(observed[at, n], sample[:, n]) for at in places])
            for name, sample in predicted.items()
        }
        yield what, "as observed", describe(observed[:, n]), "", ""
        for name, sample in predicted.items():
            whole = find_distance(observed[:, n], sample[:, n])
            distance = Estimate(whole, *np.quantile(found[name], [0.025, 0.975]))
            saved = np.quantile(found["Poisson branching"] - found[name], [0.025, 0.975])
            ends = "{:.3f} to {:.3f}".format(*saved)
            yield "", name, describe(sample[:, n]), show(distance), ends


def find_distance(first: Floats, second: Floats) -> float:
    """Compute the Kolmogorov-Smirnov distance, as `scipy.stats.ks_2samp` does beside its p-value."""
    at = np.concatenate((first, second))
    below = [np.searchsorted(np.sort(one), at, side="right") / len(one) for one in (first, second)]
    return float(np.abs(below[0] - below[1]).max())


def describe(values: Floats) -> str:
    low, middle, high = np.quantile(values, [0.1, 0.5, 0.9])
    return f"{middle:.2f}, {low:.2f} to {high:.2f}"


def fit_rumours(folder: Path, simulations: int, workers: int) -> None:
    trees = read_rumour_trees(folder).cleaned.trees
    half = SPLIT.at("half").bits(item=np.arange(len(trees))) % np.uint64(2) == 0
    observed = measure(trees)
    with ProcessPoolExecutor(workers) as pool:
        table = simulate_prior(summarise_large, FITTED, DRAW.at("prior"), simulations, pool)
        fit = table.fit(summarise(observed[half]), 0.3)
        print(f"{fit.runs} simulations, {table.without_value} with too few large cascades; {fit.loss}")
        for name, estimate in fit.estimates().items():
            print(f"{name}: {show(estimate)}")
        values = fit.resample(16, DRAW.at("posterior"))
        parts = list(pool.map(simulate_large, values, [DRAW.at(f"held-out/{n}") for n in range(len(values))]))
    predicted = {
        "the medium's rules": np.concatenate(parts),
        "Poisson branching": predict_branching(trees.size[half], DRAW.at("branching")),
        "the other half itself": observed[half],
    }
    print(f"{half.sum()} trees fitted, {(~half).sum()} held out\n")
    head = "held-out | prediction | median, 10 to 90 % | KS distance | saved to branching"
    print_table(head, held_out_rows(observed[~half], predicted))


def check_type(societies: int = 6) -> None:
    """Spread the same posts by the type and by the rules here; compare cascades two days after the post."""
    hours, a_society, until = 30, 300, 48 * 60.0
    quiet = {"activity": {"posts": 0.0}, "follows": {"rate": 0.0, "leave": 0.0}}
    config = make_config(5_000, 0.7, 2.3, rounds=hours + 48, reactions={"comment": 1e-6}, **quiet)
    content = {name: np.full(a_society, 0.3) for name in ("valence", "novelty", "arousal")}
    study = {"type": "social_media", "personas": []}
    study["config"] = config.model_dump(mode="json", exclude_unset=True)
    found: dict[str, list[Floats]] = {"the type": [], "the rules here": []}
    for number in range(societies):
        draw = DRAW.at(f"check/{number}")
        author = draw.at("author").below(config.members, item=np.arange(a_society))
        post = {"kind": "post", "text": "Look.", "valence": 0.3}
        events = [
            {**post, "at": f"round {1 + n % hours}", "post": f"post-{n}", "member": f"user-{row:06}"}
            for n, row in enumerate(author.tolist())
        ]
        with TemporaryDirectory() as folder:
            place = run_study({**study, "seed": number, "event": events}, Path(folder) / "run")
            with RunFile.open(place) as run:
                found["the type"].append(measure_until(build_cascades(Log(run)), until))
        society = Society.draw(config, draw)
        trees = spread_posts(config, society, author, np.zeros(a_society), draw, content=content)
        found["the rules here"].append(measure_until(trees, until))
    both = {name: np.concatenate(parts) for name, parts in found.items()}
    rows = []
    for name, parts in found.items():
        sums = np.array([[(one[:, 0] == 1).mean(), one[:, 0].mean(), one[:, 1].mean()] for one in parts])
        half = np.median(both[name][both[name][:, 0] >= 5, 2])
        rows.append(
            (name, len(both[name]), *(show(mean_interval(column)) for column in sums.T), f"{half:.1f}")
        )
    head = "two days after a post | cascades | share alone | mean size | mean depth"
    print_table(f"{head} | minutes to half, median", rows)
    columns = {"size": (0, 0), "depth": (1, 0), "minutes to half of 5 shares or more": (2, 5)}
    for what, (n, least) in columns.items():
        test = ks_2samp(*(one[one[:, 0] >= least, n] for one in both.values()))
        print(f"{what}: KS {test.statistic:.3f}, p {test.pvalue:.3f}")


def measure_until(trees: CascadeTrees, until: float) -> Floats:
    """Measure size, depth and minutes to half of the shares, (n, 3), as of some minutes after each source."""
    minute = trees.shares.time - trees.shares.time[trees.roots][trees.tree]
    there = minute <= until
    size, depth = np.bincount(trees.tree[there], minlength=len(trees)), np.zeros(len(trees))
    np.maximum.at(depth, trees.tree[there], trees.depth[there])
    order = np.lexsort((np.where(there, minute, np.inf), trees.tree))
    start = np.cumsum(trees.size) - trees.size
    return np.column_stack([size, depth, minute[order[start + (size - 1) // 2]]])


def main(simulations: int = 120, workers: int = 2) -> None:
    check_type()
    fit_rumours(data_folder() / "social-twitter15", simulations, workers)


if __name__ == "__main__":
    run_command(main)
