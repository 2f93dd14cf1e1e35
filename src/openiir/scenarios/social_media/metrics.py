"""Measures of spread, exposure and opinions, computed from the log alone."""

from collections.abc import Mapping

import numpy as np

from openiir.kit.arrays import Ints
from openiir.kit.measures import gini
from openiir.plugin import Log, Measure, ratio
from openiir.scenarios.social_media.actions import Countered, Exposed, Injected
from openiir.scenarios.social_media.model.cascades.summary import describe_trees
from openiir.scenarios.social_media.model.cascades.trees import NOBODY, CascadeTrees, build_trees
from openiir.scenarios.social_media.model.posts import (
    ACTIONS,
    audit_sides,
    compare_answered,
    compare_veracity,
)
from openiir.scenarios.social_media.questions import IGNORE, REPOST

UNSEEN = "nobody looked at anything"
NAN = float("nan")


def grow_cascades(log: Log) -> CascadeTrees:
    """Build the cascade of every post and comment: its author, and below whoever showed it those who reposted it."""
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
    """Compute how far posts got, who was seen, what false posts had ahead of true ones, and how opinions moved."""
    looks, trees, members = Exposed.columns(log), grow_cascades(log), log.members.size
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
        **describe_trees(trees),
        **rates,
        "exposure_gini": gini.measure(np.bincount(seen, minlength=members)),
        **audit_sides(find_sides(log), looks["member"], seen, looks["shown_by"], did == REPOST),
        **_weigh_counter_speech(log, author),
        "false_to_true": compare_veracity(looks["post"], did == REPOST, *truths),
        **_describe_opinions(log),
    }


def find_authors(log: Log) -> Ints:
    """Find the author of each post, by id."""
    return log.columns("posts", ["author"]).get("author", np.zeros(0)).astype(np.int64)


def find_sides(log: Log) -> Ints:
    """Find the side of each member at the start: 1 in favour of the statement, 0 against, -1 neither."""
    stance = log.columns("members", ["stance"]).get("stance", np.zeros(log.members.size))
    return np.where(stance == 0, -1, stance > 0)


def _weigh_counter_speech(log: Log, author: Ints) -> dict[str, Measure]:
    hostile, posts = Countered.columns(log), log.columns("posts", ["kind", "step"])
    if not len(hostile["member"]):
        return {}
    own = posts["kind"] == "post"
    return compare_answered(hostile, author[own], posts["step"][own], len(log.table("rounds")))


def count_readers(looks: Mapping[str, Ints], post: int) -> int:
    """Count the members who looked at a post."""
    return len(np.unique(looks["member"][looks["post"] == post]))


def _describe_opinions(log: Log) -> dict[str, Measure]:
    rows = log.table("rounds")
    if not rows:
        return dict.fromkeys(
            ("stance_variance", "stance_variance.change", "stance_moved"), Measure(NAN, "no round ended")
        )
    last = rows[-1]
    return {
        "stance_variance": Measure(last["stance_variance"]),
        "stance_variance.change": Measure(last["stance_variance"] - last["start_variance"]),
        "stance_moved": Measure(last["moved"]),
    }
