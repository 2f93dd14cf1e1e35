import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from openiir.core.asking import AnswererChoice
from openiir.core.errors import EndpointError, RunStopped

MODEL = AnswererChoice(default="model")


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(order=st.permutations(range(8)))
def test_answers_events_and_debits_stand_in_the_order_asked_whatever_comes_first(
    order: list[int], scene: Any, crossing: Any, agent: Any, like: Any
) -> None:
    def outcome(arrival: Callable[[int], float]) -> tuple[Any, ...]:
        provider = crossing(order=arrival)
        played = scene(MODEL, provider)
        cast = [agent(f"a{n % 3}") for n in range(3)]
        replies = played.ask_all([(cast[n % 3], like(f"wall {n}")) for n in range(8)])
        calls = [(c.place, c.reply) for c in played.ledger.run.calls()]
        return replies, played.lane.rows.events, calls, [a.budget for a in cast], provider.home

    *straight, home = outcome(lambda n: 0.0)
    *crossed, other = outcome(lambda n: 3.0 * order[n])
    assert crossed == straight
    assert home == list(range(8)) and other == sorted(range(8), key=lambda n: order[n])


def test_answers_belong_to_their_questions(scene: Any, crossing: Any, agent: Any, like: Any) -> None:
    together = scene(MODEL, crossing(order=lambda n: 20.0 - n))
    ada, ben = agent("ada"), agent("ben")
    batch = [(ada, like("door")), ("officer", like("roof")), (ben, like("door")), (ada, like("door"))]
    replies = together.ask_all(batch)
    alone = scene(MODEL)
    assert replies == [alone.ask_all([one])[0] for one in batch]


def test_the_nth_question_of_its_kind_to_its_asker_about_its_subject_has_ordinal_n(
    scene: Any, like: Any, agent: Any
) -> None:
    played, ada = scene(), agent()
    played.ask_all([(ada, like("door")), (ada, like("roof")), ("officer", like("door")), (ada, like("door"))])
    played.ask_all([(ada, like("door"))])
    seen = [(actor, e["subject"], e["ordinal"]) for actor, e in played.events("asked")]
    assert seen == [
        ("ada", "door", 0),
        ("ada", "roof", 0),
        ("officer", "door", 0),
        ("ada", "door", 1),
        ("ada", "door", 2),
    ]
    played.lane.begin(2)
    assert played.lane.place("ada", "test.like", "door").ordinal == 0 and played.lane.step == 2


def test_another_question_changes_no_other_draw(scene: Any, like: Any, agent: Any) -> None:
    plain, fuller = scene(), scene()
    door, roof = plain.ask_all([(agent(), like("door")), (agent(), like("roof"))])
    crowded = fuller.ask_all(
        [
            (agent("zoe"), like("door")),
            (agent(), like("gate")),
            (agent(), like("door")),
            (agent(), like("roof")),
        ]
    )
    assert crowded[2:] == [door, roof]
    twice = scene().ask_all([(agent(), like(f"wall {n % 20}")) for n in range(40)])
    assert twice[:20] != twice[20:]  # the same question again is another draw


def test_draws_leave_the_lane_out(scene: Any, like: Any, agent: Any) -> None:
    played = scene()
    batch = [(agent(), like(f"wall {n}")) for n in range(5)]
    here = played.ask_all(batch)
    played.lane.name = "twin"
    played.lane.begin(1)
    assert played.ask_all(batch) == here


def test_one_question_is_a_batch_of_one(scene: Any, like: Any, agent: Any) -> None:
    assert (
        asyncio.run(scene().lane.ask(agent(), like("door"))) == scene().ask_all([(agent(), like("door"))])[0]
    )
    assert scene().ask_all([]) == []


def test_an_agent_whose_tokens_are_gone_is_not_asked_and_the_log_says_so(
    scene: Any, like: Any, agent: Any
) -> None:
    played = scene(MODEL)
    broke, rich = agent("ada", tokens=0), agent("ben", tokens=9)
    replies = played.ask_all([(broke, like("door")), (rich, like("door")), ("officer", like("door"))])
    assert replies[0] is None and None not in replies[1:] and len(played.provider.asked) == 2
    asked = played.events("asked")
    assert [(actor, e["outcome"], e["debit"]) for actor, e in asked] == [
        ("ada", "exhausted", 0),
        ("ben", "answered", 7),
        ("officer", "answered", 0),
    ]
    assert "answerer" not in asked[0][1] and rich.budget.tokens == 2


def test_the_last_answer_takes_what_is_left_and_no_more(scene: Any, like: Any, agent: Any) -> None:
    played, ada = scene(MODEL), agent(tokens=10)
    replies = played.ask_all([(ada, like("door")), (ada, like("roof")), (ada, like("gate"))])
    assert None not in replies  # all three were asked while there were tokens
    assert (
        [e["debit"] for _, e in played.events("asked")] == [7, 3, 0] and ada.budget.tokens == 0 and ada.spent
    )
    assert played.ask_all([(ada, like("door"))]) == [None]


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tokens=st.integers(0, 60), batches=st.lists(st.lists(st.integers(0, 25), max_size=4), max_size=4))
def test_budgets_are_never_below_zero_and_what_is_spent_is_the_sum_of_the_log(
    tokens: int, batches: list[list[int]], scene: Any, like: Any, agent: Any, echo: Any, liked: Any
) -> None:
    prices = iter([price for batch in batches for price in batch])

    class Priced(echo):  # type: ignore[misc]
        async def answer(self, asked: Any) -> Any:
            self.tokens = next(prices)
            return await super().answer(asked)

    played = scene(AnswererChoice(default="human"), human=Priced(liked(pick="red", level=1), 0))
    ada = agent(tokens=tokens)
    for batch in batches:
        played.ask_all([(ada, like(f"wall {n}")) for n in range(len(batch))])
        assert ada.budget.tokens >= 0
    entries = [e for _, e in played.events("asked")]
    assert tokens - ada.budget.tokens == sum(e["debit"] for e in entries)
    assert all(e["debit"] <= e.get("reply_tokens", 0) for e in entries)
    assert (ada.budget.tokens == 0) or all(e["outcome"] == "answered" for e in entries)


def test_a_failure_is_logged_paid_for_and_answered_by_none(
    scene: Any, crossing: Any, like: Any, agent: Any
) -> None:
    played, ada = scene(MODEL, crossing(say=lambda request: "no idea")), agent(tokens=100)
    assert played.ask_all([(ada, like("door"))]) == [None]
    ((_, entry),) = played.events("asked")
    assert entry["outcome"] == "failed" and "no JSON object" in entry["failure"] and entry["attempts"] == 2
    assert entry["debit"] == 14 and ada.budget.tokens == 86


def test_when_a_call_fails_for_good_the_others_are_brought_home_first(
    scene: Any, crossing: Any, says: Any, like: Any, agent: Any
) -> None:
    def say(request: Any) -> str:
        if "wall 1?" in request.messages[-1].text:
            raise EndpointError("gone")
        return says(request)

    played = scene(MODEL, crossing(order=lambda n: 5.0 * n, say=say))
    batch = [(agent(f"a{n}"), like(f"wall {n}")) for n in range(5)]
    with pytest.raises(EndpointError, match="gone"):
        played.ask_all(batch)
    assert {c.place.subject for c in played.ledger.run.calls()} == {"wall 0", "wall 2", "wall 3", "wall 4"}
    assert played.lane.rows.events == []

    after = scene(MODEL, crossing(), run=played.ledger.run)  # resumed: only what failed is asked for
    assert after.ask_all(batch) == scene(MODEL).ask_all(batch)
    assert ["wall 1?" in r.messages[-1].text for r in after.provider.asked] == [True]


def test_at_a_limit_what_was_sent_is_recorded_and_nothing_more_is_sent(
    scene: Any, like: Any, agent: Any
) -> None:
    played, sent = scene(MODEL), iter(range(100))

    def limit() -> None:
        if next(sent) >= 3:
            raise RunStopped("limit")

    played.ledger.before_call = limit
    with pytest.raises(RunStopped):
        played.ask_all([(agent(f"a{n}"), like("door")) for n in range(10)])
    assert len(played.provider.asked) == len(list(played.ledger.run.calls())) == 3


def test_an_interrupt_keeps_what_had_come_and_waits_for_nothing(
    scene: Any, crossing: Any, like: Any, agent: Any
) -> None:
    played = scene(MODEL, crossing(order=lambda n: 2.0 if n < 2 else 1e9))

    async def interrupted() -> None:
        asking = asyncio.create_task(played.lane.ask_all([(agent(f"a{n}"), like("door")) for n in range(6)]))
        for _ in range(20):  # turns of the loop: the first two replies need a few, the others never come
            await asyncio.sleep(0)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking

    asyncio.run(interrupted())
    assert len(list(played.ledger.run.calls())) == 2 and played.lane.rows.events == []
