"""Measures of the feeds, with differences to the control feeds, computed from the log alone."""

from collections.abc import Mapping
from itertools import starmap
from math import nan

import numpy as np
from pydantic import Field

from openiir.kit import measures
from openiir.kit.items.retrieval import read_judgements
from openiir.kit.measures import Average
from openiir.kit.measures.retrieval import MEASURES, evaluate
from openiir.kit.text_tables import read_definitions
from openiir.plugin import ConfigTable, Draw, Log, Measure, ratio
from openiir.scenarios.curated_feed.config import MAIN, NO_FEED
from openiir.scenarios.curated_feed.measures.aggregates import Aggregates, CachedTables
from openiir.scenarios.curated_feed.measures.answerers import group_by_answerer
from openiir.scenarios.curated_feed.measures.off_policy import OffPolicy, off_policy
from openiir.scenarios.curated_feed.measures.slate_log import list_logged_users, ranking

DEFINITIONS = read_definitions("""
opinion_variance | variance of opinions | variance of opinions across users, averaged over topics | 0 to 1
total_variance | total variance | variance of opinions across users, summed over topics | 0 or more
issue_alignment | issue alignment | share of the variance that lies on one line through all topics: 1/topics
    where they vary apart, 1 where one opinion tells all | 0 to 1
polarisation | Esteban-Ray polarisation | how far opinions form large groups far from each other, averaged
    over topics: 0 is consensus (Econometrica 1994) | 0 or more
drift | drift | mean distance of users' opinions from where they began | 0 or more
click_rate | click rate | clicks over items shown | 0 to 1
clicks_per_slate | clicks a slate | clicks over slates shown | 0 or more
exposure_entropy | entropy of exposure | how evenly topics were shown to all users together: 0 one topic, 1
    all alike | 0 to 1
exposure_entropy.per_user | entropy of a user's exposure | how evenly topics were shown to each user,
    averaged: low values are filter bubbles | 0 to 1
exposure_share.* | share of topic {} | share of items shown that were on this topic | 0 to 1
exposure_to_catalogue.js | distance from catalogue (JS) | Jensen-Shannon divergence of topics shown from
    topics on offer, in nats | 0 or more
exposure_to_catalogue.kl | distance from catalogue (KL) | Kullback-Leibler divergence of topics shown from
    topics on offer, in nats | 0 or more
item_gini | inequality of items | Gini coefficient of how often items were shown: 0 is equal shares | 0 to 1
oracle_tau | order as the oracle's | Kendall's tau of the ranker's order of audited items with the order of
    what users like: 1 is the same order | -1 to 1
oracle_tau.shown | order of slates as the oracle's | the same within the slates shown | -1 to 1
regret | regret | expected clicks a slate that the best slate would have had more | 0 or more
click_overlap | overlap of clicks | mean Jaccard similarity of the items that two users clicked | 0 to 1
click_overlap.beyond_chance | overlap beyond chance | the same, less what clicks at random would give
    | -1 to 1
""")
"""Labels and definitions of the measures, by name; * stands for the part that {} takes up."""
NOTHING_SHOWN = "nobody was shown anything"
CONTROLLED = (
    "opinion_variance issue_alignment polarisation drift click_rate exposure_entropy.per_user item_gini "
    "click_overlap"
).split()
"""Measures for which the difference to each control feed is given."""
NOT_KEPT = "no impressions of this feed were kept (config.kept)"


class FeedMeasuring(ConfigTable):
    """Settings of the feed's measures, as `openiir measure RUN --set` takes them."""

    ope: OffPolicy = OffPolicy()
    qrels: str = ""
    """Relevance judgements of items for users, to measure rankings: a TREC qrels file, or `ir_datasets:ID`.

    Judged topics without a user whose impressions were kept are left out; who was shown nothing counts as 0.
    """
    retrieval: tuple[str, ...] = MEASURES
    """Names of retrieval measures, as ir_measures writes them."""
    pairs: int = Field(5_000, ge=1, le=1_000_000)
    """Number of pairs of users whose clicked items are compared."""


def feed_measures(log: Log) -> Mapping[str, Measure]:
    """Compute measures of the feed under study, of other feeds as FEED/NAME, and differences to controls.

    `NAME.less_random` and `NAME.less_none` are the feed under study less that control; opinions drift
    together even under a random feed, so a variance says little without it.
    """
    by = log.options(FeedMeasuring)
    tables = CachedTables(log)
    feeds = tables.feeds
    each = {feed: _of_feed(tables, feed, by) for feed in feeds}
    found = dict(each.get(MAIN, {}))
    for control in ("random", NO_FEED):
        for name in [name for name in CONTROLLED if name in each.get(control, {})]:
            less = each[MAIN][name].value - each[control][name].value
            if not np.isnan(less):
                found[f"{name}.less_{control}"] = Measure(less)
    for feed in feeds:
        if feed != MAIN:
            found |= {f"{feed}/{name}": measure for name, measure in each[feed].items()}
    if by.ope.ranker:
        found |= off_policy(log, by.ope)
    if by.qrels:
        users = set(list_logged_users(log))
        judgements = read_judgements(by.qrels, "measure --set qrels=")
        judged = evaluate(ranking(log), [one for one in judgements if one.topic in users], by.retrieval)
        found |= {f"retrieval.{name}": measure for name, measure in judged.items()}
    return found


def _of_feed(tables: CachedTables, feed: str, by: FeedMeasuring) -> dict[str, Measure]:
    sums = Aggregates(tables, feed)
    found = _opinions(sums)
    if feed != NO_FEED:
        found |= _exposure(sums) | _impression_measures(sums, by)
    for answerer, group in group_by_answerer(sums).items():
        found |= {f"{name}.by_{answerer}": measure for name, measure in group.items()}
    return found


def _opinions(sums: Aggregates) -> dict[str, Measure]:
    first, cross, users = sums.topics["belief_sum"], sums.products, sums.users
    spread = Average.of([*starmap(measures.esteban_ray, sums.opinions)])
    return {
        "opinion_variance": measures.opinion_variance.measure(first, np.diag(cross), users),
        "total_variance": measures.total_variance.measure(first, cross, users),
        "issue_alignment": measures.issue_alignment.measure(first, cross, users),
        "polarisation": spread.measure("no topic has opinions"),
        "drift": Measure(float(sums.last("drift_sum")) / users),
    }


def _exposure(sums: Aggregates) -> dict[str, Measure]:
    exposure, catalogue = sums.topics["exposure"], sums.topics["catalogue"]
    shown = sums.total("shown")
    shares = measures.row_shares(exposure)
    return {
        "click_rate": ratio(sums.total("clicks"), shown, NOTHING_SHOWN),
        "clicks_per_slate": ratio(sums.total("clicks"), sums.total("slates"), NOTHING_SHOWN),
        "exposure_entropy": measures.entropy.measure(exposure, normalised=True),
        "exposure_entropy.per_user": ratio(
            float(sums.last("entropy_sum")),
            float(sums.last("entropy_users")),
            "no user was shown anything, or there is one topic alone",
        ),
        **{
            f"exposure_share.{n}": Measure(float(share)) if shown else Measure(nan, NOTHING_SHOWN)
            for n, share in enumerate(shares, 1)
        },
        "exposure_to_catalogue.js": measures.jensen_shannon.measure(exposure, catalogue),
        "exposure_to_catalogue.kl": measures.kl.measure(exposure, catalogue),
        "item_gini": measures.gini.measure(sums.item_shown),
        "oracle_tau": ratio(
            sums.total("tau_sum"),
            sums.total("tau_count"),
            "all scores of the audit set were tied for everyone",
        ),
    }


def _impression_measures(sums: Aggregates, by: FeedMeasuring) -> dict[str, Measure]:
    """Compute the measures that need impressions, over the users whose impressions were kept."""
    names = ("user", "item", "position", "score", "oracle_score", "click")
    seen = sums.tables.of("impressions", sums.feed, names)
    if not seen or not len(seen["user"]):
        missing = ("oracle_tau.shown", "regret", "click_overlap", "click_overlap.beyond_chance")
        return dict.fromkeys(missing, Measure(nan, NOT_KEPT))
    worth = sums.tables.of("oracle", sums.feed, ("p_click", "p_click_ideal"))
    slates = int((seen["position"] == 1).sum())
    lost = float(worth["p_click_ideal"].sum() - worth["p_click"].sum())
    overlap = _overlap(seen, sums, by)
    alone = "no two users clicked anything" if sums.users > 1 else "there is one user alone"
    beyond = overlap.jaccard.total - overlap.expected.total
    return {
        "oracle_tau.shown": _shown_tau(seen).measure("the scores of every slate were tied"),
        "regret": Measure(lost / slates),
        "click_overlap": overlap.jaccard.measure(alone),
        "click_overlap.beyond_chance": Average(beyond, overlap.jaccard.counted, 0).measure(alone),
    }


def _shown_tau(seen: Mapping[str, np.ndarray]) -> Average:
    """Compute Kendall's tau-b between the ranker's and the oracle's scores within each whole slate."""
    position = seen["position"]
    longest = int(position.max())
    first = np.flatnonzero(position == 1)
    whole = first[np.diff(np.append(first, len(position))) == longest]
    if longest < 2 or not len(whole):
        return Average.of([])
    rows = whole[:, None] + np.arange(longest)
    return Average.of(measures.kendall_tau(seen["score"][rows], seen["oracle_score"][rows]))


def _overlap(seen: Mapping[str, np.ndarray], sums: Aggregates, by: FeedMeasuring) -> measures.Overlap:
    """Compute the Jaccard similarity of the clicked items of pairs of users."""
    users, user = np.unique(seen["user"], return_inverse=True)
    clicks = user.ravel()[seen["click"]], seen["item"][seen["click"]]
    draw = Draw(sums.tables.log.study["seed"], "curated_feed.pairs")
    return measures.pairwise_jaccard(*clicks, len(users), int(sums.last("items")), draw, by.pairs)
