"""Measures of spread, exposure and opinions, computed from the log alone."""

from collections.abc import Mapping, Sequence
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openiir.kit.arrays import Bools, Ints
from openiir.kit.measures import gini
from openiir.kit.networks import build_graph, random_walk_controversy
from openiir.plugin import Log, Measure, ratio
from openiir.scenarios.social_media.model.cascades import NOBODY, CascadeTrees, build_trees
from openiir.scenarios.social_media.model.posts.reactions import ACTIONS
from openiir.scenarios.social_media.questions import IGNORE, REPOST
from openiir.scenarios.social_media.run.actions import Countered, Exposed, Injected

UNSEEN = "nobody looked at anything"


def build_cascades(log: Log) -> CascadeTrees:
    """Build the cascade tree of each post or comment: its author, then reposters by who showed it to them."""
    posts, looks = log.columns("posts", ["id", "author", "kind", "minute"]), Exposed.columns(log)
    if not posts:
        empty = np.zeros(0, dtype=np.int64)
        return build_trees(empty, empty, empty, empty)
    own, again = posts["kind"] != "repost", looks["did"] == REPOST
    return build_trees(
        np.concatenate((posts["id"][own], looks["post"][again])).astype(np.int64),
        np.concatenate((posts["author"][own], looks["member"][again])).astype(np.int64),
        np.concatenate((np.full(int(own.sum()), NOBODY), looks["shown_by"][again])).astype(np.int64),
        np.concatenate((posts["minute"][own], looks["minute"][again])),
    )


def medium_measures(log: Log) -> Mapping[str, Measure]:
    """Compute all measures of a run: reach, visibility of each side, veracity, cascades and opinions."""
    looks, trees, members = Exposed.columns(log), build_cascades(log), log.members.size
    injected = [one for _, one in Injected.read(log)]
    did = looks["did"]
    truths = ([one.post for one in injected if one.veracity == name] for name in ("false", "true"))
    rates = {
        f"{kind}_rate": ratio(int((did == n).sum()), len(did), UNSEEN)
        for n, kind in enumerate(ACTIONS)
        if n != IGNORE
    }
    author = find_authors(log)
    seen = author[looks["post"].astype(np.int64)]
    return {
        **{
            f"reach.{one.name}": ratio(count_readers(looks, one.post), members, "no members")
            for one in injected
        },
        **measure_cascade_trees(trees),
        **rates,
        "exposure_gini": gini.measure(np.bincount(seen, minlength=members)),
        **measure_side_visibility(find_sides(log), looks["member"], seen, looks["shown_by"], did == REPOST),
        **_weigh_counter_speech(log, author),
        "false_to_true": compare_veracity(looks["post"], did == REPOST, *truths),
        **_describe_opinions(log),
    }


def find_authors(log: Log) -> Ints:
    """List the author of each post, by post id."""
    return log.columns("posts", ["author"]).get("author", np.zeros(0)).astype(np.int64)


def find_sides(log: Log) -> Ints:
    """List each member's side at the start: 1 in favour of the statement, 0 against, -1 neither."""
    stance = log.columns("members", ["stance"]).get("stance", np.zeros(log.members.size))
    return np.where(stance == 0, -1, stance > 0)


def _weigh_counter_speech(log: Log, author: Ints) -> dict[str, Measure]:
    hostile, posts = Countered.columns(log), log.columns("posts", ["kind", "step"])
    if not len(hostile["member"]):
        return {}
    own = posts["kind"] == "post"
    return compare_counter_speech_arms(hostile, author[own], posts["step"][own], len(log.table("rounds")))


def count_readers(looks: Mapping[str, Ints], post: int) -> int:
    """Count the distinct members who looked at a post."""
    return len(np.unique(looks["member"][looks["post"] == post]))


def _describe_opinions(log: Log) -> dict[str, Measure]:
    rows = log.table("rounds")
    if not rows:
        return dict.fromkeys(
            ("stance_variance", "stance_variance.change", "stance_moved"), Measure(nan, "no round ended")
        )
    last = rows[-1]
    return {
        "stance_variance": Measure(last["stance_variance"]),
        "stance_variance.change": Measure(last["stance_variance"] - last["start_variance"]),
        "stance_moved": Measure(last["moved"]),
    }


def measure_side_visibility(
    side: Ints, reader: Ints, author: Ints, shown_by: Ints, reposted: Bools
) -> dict[str, Measure]:
    """Measure how often each side is seen and how separated the sides are, from impressions, a row each.

    `side` is by member: 1 for, 0 against, -1 neither. `exposure.for` and `exposure.against` are looks at what
    the members of a side wrote, by member of it: the amplification of Huszar et al. (PNAS 2022) is how much
    larger it is than under another ranker, less 1. `cross_cutting` is the share of looks at authors of the
    other side (Bakshy et al., Science 2015), and `controversy` that of the network of reposts (Garimella et
    al., WSDM 2016).
    """
    seen, own = side[author], side[reader]
    both = (seen >= 0) & (own >= 0)
    names, place = np.unique(np.concatenate((reader[reposted], shown_by[reposted])), return_inverse=True)
    names = names.astype(np.int64)
    graph = build_graph(len(names), *np.split(place, 2)).graph
    return {
        "exposure.for": ratio(int((seen == 1).sum()), int((side == 1).sum()), "nobody is for it"),
        "exposure.against": ratio(int((seen == 0).sum()), int((side == 0).sum()), "nobody is against it"),
        "cross_cutting": ratio(
            int((seen != own)[both].sum()), int(both.sum()), "nobody looked at either side"
        ),
        "controversy": random_walk_controversy.measure(graph, side[names]),
    }


def compare_veracity(post: Ints, reposted: Bools, false: Sequence[int], true: Sequence[int]) -> Measure:
    """Compute the ratio of the repost rates of false and true posts, from impressions, a row each."""
    rates = []
    for name, posts in (("false", false), ("true", true)):
        looked = np.isin(post, posts)
        if not looked.any():
            return Measure(nan, f"nobody looked at a post with the veracity {name!r}")
        rates.append(float(reposted[looked].mean()))
    return ratio(rates[0], rates[1], "no true post was reposted")


def compare_counter_speech_arms(
    first: Mapping[str, NDArray[Any]], author: Ints, step: Ints, rounds: int
) -> dict[str, Measure]:
    """Compare authors of hostile posts who got counter-speech with the controls who did not.

    `first` has what `CounterSpeech.find_hostile_posts` found, with the columns `member` and `step`;
    `author` and `step` are of all posts. `counter.posts` is by how much fewer posts a round the answered
    write after their first hostile one, as a ratio less 1; `counter.deleted` is by how much more of them
    deleted it.
    """
    members = int(max(author.max(initial=-1), first["member"].max(initial=-1))) + 1
    since = np.full(members, rounds)
    since[first["member"]] = first["step"]
    written = np.bincount(author[step > since[author]], minlength=members)
    rates, deleted, none = [], [], "no hostile author was answered, or all were"
    for answered in (True, False):
        own = first["answered"].astype(np.bool_) == answered
        group = first["member"][own]
        rates.append(ratio(int(written[group].sum()), int((rounds - since[group]).sum()), none))
        deleted.append(ratio(int(first["deleted"][own].sum()), len(group), none))
    change = ratio(rates[0].value - rates[1].value, rates[1].value, none)
    more = Measure(deleted[0].value - deleted[1].value, deleted[0].reason or deleted[1].reason)
    return {"counter.posts": change, "counter.deleted": more}


def measure_cascade_trees(trees: CascadeTrees) -> dict[str, Measure]:
    """Measure cascades: mean and largest size, depth and breadth, virality, reproduction number."""
    shared, shares = trees.virality[~np.isnan(trees.virality)], len(trees.parent)
    none, alone = Measure(nan, "nobody posted"), Measure(nan, "nothing was reposted")
    each = (("size", trees.size), ("depth", trees.max_depth), ("breadth", trees.max_breadth))
    return {
        **{
            f"cascade_{name}{end}": Measure(float(summed(values))) if shares else none
            for end, summed in (("", np.mean), (".max", np.max))
            for name, values in each
        },
        "structural_virality": Measure(float(shared.mean())) if len(shared) else alone,
        "reproduction": ratio(shares - len(trees), shares, "nobody posted"),
    }
