"""Two kinds of site and two styles of profiles: all four run, and each key moves its own things alone."""

import numpy as np
import pytest
from small_medium import ADA, RUMOUR, Run

from openiir.scenarios.social_media.run.actions import Exposed, Followed, Searched

ADA_READS = {**ADA, "interests": ["bridge"], "activity": {"posts_per_hour": 2.0}}


@pytest.mark.parametrize("site", ["twitter", "reddit"])
def test_profiles_change_the_attributes_that_are_emitted_and_nothing_else(run: Run, site: str) -> None:
    runs = [run(RUMOUR, personas=[ADA], site=site, profiles=style)[0] for style in ("twitter", "reddit")]
    tables = [one.sections["tables"] for one in runs]
    attributes = [set(one.log.columns("profiles")["attribute"]) for one in runs]
    assert attributes == [
        {"handle", "name", "description", "followers", "following"},
        {"username", "about", "communities"},
    ]
    for name in ("posts", "social_media_exposed", "rounds"):
        first, second = (one.log.columns(name) for one in runs)
        assert all(np.array_equal(first[key], second[key]) for key in first)
    assert tables[0] != tables[1]


def test_communities_show_posts_of_their_topic_and_threads_below(run: Run) -> None:
    done, _ = run(RUMOUR, site="reddit", visits=1.0, activity={"posts": 0.2}, reactions={"comment": 0.05})
    posts, looks = done.log.columns("posts"), Exposed.columns(done.log)
    parent, author, post = posts["parent"], posts["author"], looks["post"]
    pairs = set(zip(looks["member"].tolist(), post.tolist(), strict=True))
    below = (posts["kind"][post] == "comment") & (looks["shown_by"] == author[post])
    below &= author[parent[post]] != looks["member"]  # who is answered is told of it
    assert below.sum() > 30
    assert set(zip(looks["member"][below].tolist(), parent[post][below].tolist(), strict=True)) <= pairs
    assert not Followed.columns(done.log)["member"].size


def test_a_visit_shows_what_was_there_and_the_hot_first(run: Run) -> None:
    done, _ = run(site="reddit", visits=1.0, activity={"posts": 0.2}, gamma=0.0)
    posts, looks = done.log.columns("posts"), Exposed.columns(done.log)
    assert (looks["minute"] >= posts["minute"][looks["post"].astype(int)]).all()


def test_members_follow_and_leave_by_what_they_read(run: Run) -> None:
    far = {"stance_sd": 1.5, "follows": {"rate": 0.5, "leave": 0.3}}
    done, _ = run(RUMOUR, **far)
    changes = Followed.columns(done.log)
    began = changes["began"].astype(bool)
    assert began.sum() > 10 and (~began).sum() > 10
    none, _ = run(RUMOUR, stance_sd=1.5, follows={"rate": 0.0, "leave": 0.0})
    assert not Followed.columns(none.log)["member"].size


def test_the_cast_searches_and_finds_what_it_has_not_seen(run: Run) -> None:
    done, _ = run(
        RUMOUR, personas=[ADA_READS], searches=1.0, activity={"posts": 0.3}, writing={"worded": 1.0}
    )
    found = [(event.step, one) for event, one in Searched.read(done.log)]
    assert any(one.found for _, one in found) and all(one.query == "bridge" for _, one in found)
    looks = Exposed.columns(done.log, member=0)
    for _, one in found:
        assert set(one.found) & set(looks["post"].tolist()) or not one.found


def test_a_post_is_attributed_to_the_most_followed(run: Run) -> None:
    done, _ = run({**RUMOUR, "member": "followed-1"}, hubs=2.1)
    looks = Exposed.columns(done.log)
    direct = (looks["post"] == 0) & (looks["shown_by"] == done.log.columns("posts")["author"][0])
    assert direct.sum() > 20


def test_communities_without_a_post_show_nothing(run: Run) -> None:
    done, _ = run(site="reddit", visits=5.0, rounds=2, activity={"posts": 0.0})
    assert not Exposed.columns(done.log)["post"].size
