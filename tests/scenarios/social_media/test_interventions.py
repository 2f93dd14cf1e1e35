"""What interventions, counter-speech and second looks do, each beside the same run without."""

from typing import Any

import numpy as np
import pytest
from small_medium import RUMOUR, Run

from openiir.scenarios.social_media.run.actions import Countered, Exposed, SpreadHalted

NUDGE = {"at": "round 1", "kind": "nudge", "strength": 0.6}
COUNTER = {
    "at": "round 1",
    "kind": "counter",
    "member": "user-000001",
    "text": "How would you feel?",
    "below": 0.0,
}


def count_reposts(done: Any, post: int | None = None) -> int:
    looks = Exposed.columns(done.log)
    return int(((looks["did"] == 4) & (True if post is None else looks["post"] == post)).sum())


@pytest.mark.parametrize("of", [{}, {"post": "rumour"}])
def test_a_nudge_cuts_reposts(run: Run, of: dict[str, str]) -> None:
    plain, _ = run(RUMOUR)
    nudged, _ = run(RUMOUR, {**NUDGE, **of})
    assert count_reposts(nudged, 0) < count_reposts(plain, 0) / 1.5
    idle, _ = run(RUMOUR, {**NUDGE, **of, "strength": 0.0})
    assert idle.sections["tables"] == plain.sections["tables"]


def test_a_post_that_is_ranked_down_is_looked_at_less(run: Run) -> None:
    crowded = {"activity": {"posts": 3.0, "sigma": 0.5}, "reproduction": 0.3, "ranker": "controversial"}
    lowered = {"at": "round 1", "kind": "downrank", "post": "rumour", "factor": 0.1}
    runs = [run(RUMOUR, *events, **crowded)[0].log for events in ([], [lowered])]
    looks = [int((Exposed.columns(log)["post"] == 0).sum()) for log in runs]
    assert 0 < looks[1] < looks[0] / 2


def test_a_breaker_halts_what_spreads_fast_for_its_rounds(run: Run) -> None:
    breaker = {"at": "round 1", "kind": "breaker", "looks": 20, "rounds": 2}
    done, _ = run(RUMOUR, breaker)
    looks, halted = Exposed.columns(done.log), [(e.step, one) for e, one in SpreadHalted.read(done.log)]
    step, one = next((step, one) for step, one in halted if one.post == 0)
    seen = np.bincount(looks["step"][looks["post"] == 0], minlength=12)
    assert (
        seen[step] >= 20 and one.until == step + 3 and seen[step + 1 : one.until].sum() == 0 < seen[one.until]
    )


def test_counter_speech_makes_its_audience_post_less_and_delete(run: Run) -> None:
    busy = {"rounds": 12, "activity": {"posts": 1.0, "sigma": 0.0}, "reproduction": 0.1}
    done, found = run({**COUNTER, "posts": 0.5, "deletion": 0.3}, **busy)
    first = Countered.columns(done.log)
    answered = first["answered"].astype(bool)
    assert 0.35 < answered.mean() < 0.65 and 0.2 < first["deleted"][answered].mean() < 0.4
    assert not first["deleted"][~answered].any()
    assert found["counter.posts"].value == pytest.approx(-0.5, abs=0.12)
    assert found["counter.deleted"].value == pytest.approx(0.3, abs=0.1)
    deleted = first["post"][first["deleted"].astype(bool)]
    looks = Exposed.columns(done.log)
    born = done.log.columns("posts")["step"]
    late = np.isin(looks["post"], deleted) & (looks["step"] > born[looks["post"]])
    assert not late.any()
    answers = [text for text in done.log.columns("posts")["text"] if text == COUNTER["text"]]
    assert len(answers) == answered.sum()


def test_whoever_has_left_answers_nobody(run: Run) -> None:
    leave = {"at": "round 3", "kind": "leave", "member": COUNTER["member"]}
    done, _ = run({**COUNTER, "share": 1.0}, leave, activity={"posts": 0.1})
    posts = done.log.columns("posts", ["author", "step"])
    assert set(posts["step"][posts["author"] == 1].tolist()) == {1, 2}


def test_second_looks_make_a_complex_contagion(run: Run) -> None:
    """With `again`, whoever looks again reposts so many times as often; by default nobody looks twice."""
    done, _ = run(RUMOUR, again=3.0, reproduction=1.0, reactions={"proof": 0.0}, activity={"posts": 0.3})
    looks = Exposed.columns(done.log)
    order = np.lexsort((np.arange(len(looks["post"])), looks["post"], looks["member"]))
    pair = (looks["member"] * 10**6 + looks["post"])[order]
    later = np.append(False, pair[1:] == pair[:-1])
    shared = (looks["did"] == 4)[order]
    assert later.sum() > 300
    assert shared[later].mean() / shared[~later].mean() == pytest.approx(3.0, rel=0.35)
    assert not (later[1:] & shared[:-1]).any()  # nobody reposts twice
