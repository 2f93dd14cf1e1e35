import asyncio
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from openiir.core.asking import AnswererChoice
from openiir.core.errors import EndpointError, UnknownName
from openiir.core.seeds import Draw


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cuts=st.lists(st.integers(1, 5), min_size=1, max_size=6))
def test_offline_answers_in_one_batch_are_those_given_one_by_one(
    cuts: list[int], scene: Any, like: Any, agent: Any
) -> None:
    """However a batch is cut, and alone through each question's own `offline`."""
    batch = [(agent(f"a{n % 4}"), like(f"wall {n}")) for n in range(sum(cuts))]
    whole = scene().ask_all(batch)
    played, start, pieces = scene(), 0, []
    for size in cuts:
        pieces += played.ask_all(batch[start : start + size])
        start += size
    draws = [Draw(5, like.kind, agent=who.key, item=q.subject, step=1) for who, q in batch]
    assert whole == pieces == [q.offline(draw) for (_, q), draw in zip(batch, draws, strict=True)]


def test_offline_questions_of_one_class_are_answered_as_one_array(scene: Any, like: Any, agent: Any) -> None:
    choice = AnswererChoice(persona={"ben": "model"})
    scene(choice).ask_all([(agent("ada" if n % 2 else "ben"), like(f"wall {n}")) for n in range(10)])
    assert like.batches == [5]


def test_a_promoted_crowd_member_draws_what_the_crowd_draws_at_its_index(
    scene: Any, like: Any, agent: Any
) -> None:
    """Draws of a population in columns, keyed by index, equal those of agents with the indices as keys."""
    indices = np.arange(50)
    crowd = Draw(5, like.kind, agent=indices, item="door", step=1)
    options = ("red", "green", "blue")
    picks = crowd.choices(options, np.zeros((50, 3)))
    levels = crowd.at("level").below(101)
    replies = scene().ask_all([(agent(f"a{n}", key=int(n)), like("door")) for n in indices])
    assert [r.pick for r in replies] == [options[p] for p in picks]
    assert [r.level for r in replies] == levels.tolist()


def test_promoting_one_leaves_everybody_elses_answer_as_it_was(scene: Any, like: Any, agent: Any) -> None:
    as_cast = scene().ask_all([(agent("ada"), like("door")), (agent("ben"), like("door"))])
    promoted = scene().ask_all(
        [(agent("ada"), like("door")), (agent("p7", key=7), like("door")), (agent("ben"), like("door"))]
    )
    assert [promoted[0], promoted[2]] == as_cast


def test_who_answers_follows_the_choice_one_by_one(
    scene: Any, like: Any, agent: Any, echo: Any, liked: Any
) -> None:
    person = echo(liked(pick="blue", level=42), 3)
    choice = AnswererChoice(
        default="offline",
        kind={"test.like": "model"},
        persona={"ben": "human", "cleo": {"test.like": "offline"}},
    )
    played = scene(choice, human=person)
    replies = played.ask_all([(agent(name), like("door")) for name in ("ada", "ben", "cleo")])
    assert [e["answerer"] for _, e in played.events("asked")] == ["model", "human", "offline"]
    assert replies[1].level == 42 and [a.place.asker for a in person.asked] == ["ben"]


def test_an_answerer_the_run_does_not_have_is_named(scene: Any, like: Any, agent: Any) -> None:
    with pytest.raises(UnknownName, match="system:desk"):
        scene(AnswererChoice(default="system:desk")).ask_all([(agent(), like("door"))])


def test_a_shadow_is_asked_logged_and_never_acted_on_nor_debited(scene: Any, like: Any, agent: Any) -> None:
    plain, shadowed = scene(), scene(AnswererChoice(shadow="model"))
    cast, twins = [agent("ada"), agent("ben")], [agent("ada"), agent("ben")]
    acted = plain.ask_all([(a, like("door")) for a in cast])
    assert shadowed.ask_all([(a, like("door")) for a in twins]) == acted
    assert [a.budget for a in twins] == [a.budget for a in cast]
    assert shadowed.events("asked") == plain.events("asked")
    entries = shadowed.events("shadow")
    assert [actor for actor, _ in entries] == ["ada", "ben"]
    for (_, entry), reply in zip(entries, acted, strict=True):
        assert entry["reply"] == reply.model_dump() and entry["answerer"] == "offline"
        assert entry["shadow"] == "model" and set(entry["shadow_reply"]) == {"pick", "level", "why"}
        assert entry["compared"] == {"pick": "choice", "level": "number"}
    assert {c.place.kind for c in shadowed.ledger.run.calls()} == {"test.like~shadow"}


def test_what_a_crowd_does_anyway_is_neither_logged_nor_paid_for(
    scene: Any, like: Any, agent: Any, monkeypatch: Any
) -> None:
    """Unless somebody else than the behaviour model has a say in it, be it as a shadow."""
    plain = scene().ask_all([(agent("ada"), like("door"))])
    monkeypatch.setattr(like, "of_crowd", True)
    quiet, cast = scene(), [agent("ada"), agent("ben", tokens=0)]
    assert quiet.ask_all([(a, like("door")) for a in cast])[0] == plain[0]
    assert quiet.ask_all([(cast[1], like("door"))])[0] is not None and not quiet.events("asked")
    assert [a.budget.tokens for a in cast] == [a.persona.tokens for a in cast]
    for choice in (
        AnswererChoice(shadow="model"),
        AnswererChoice(default="model"),
        AnswererChoice(kind={"test.like": "model"}),
    ):
        heard = scene(choice)
        heard.ask_all([(agent("ada"), like("door"))])
        assert [actor for actor, _ in heard.events("asked")] == ["ada"]


def test_the_shadow_sees_the_observation_and_the_draw_of_the_one_who_acts(
    scene: Any, like: Any, agent: Any
) -> None:
    acted = scene(AnswererChoice(default="offline", shadow="model"))
    acted.ask_all([(agent(), like("door"))])
    swapped = scene(AnswererChoice(default="model", shadow="offline"))
    swapped.ask_all([(agent(), like("door"))])
    assert acted.provider.asked == swapped.provider.asked
    ((_, one),), ((_, other),) = acted.events("shadow"), swapped.events("shadow")
    assert (one["reply"], one["shadow_reply"]) == (other["shadow_reply"], other["reply"])


def test_no_shadow_is_cast_by_who_answers_anyway_nor_on_the_exhausted(
    scene: Any, like: Any, agent: Any
) -> None:
    choice = AnswererChoice(persona={"ben": "model"}, shadow="model")
    played = scene(choice)
    cast = [agent("ada"), agent("ben"), agent("cleo", tokens=0)]
    played.ask_all([(a, like("door")) for a in cast])
    assert [actor for actor, _ in played.events("shadow")] == ["ada"]


def test_a_shadow_that_has_no_usable_answer_is_logged_as_such(
    scene: Any, crossing: Any, like: Any, agent: Any
) -> None:
    played = scene(AnswererChoice(shadow="model"), crossing(say=lambda request: "hm"))
    assert played.ask_all([(agent(), like("door"))])[0] is not None
    ((_, entry),) = played.events("shadow")
    assert entry["shadow_reply"] is None and entry["reply"] is not None


def test_shadows_under_way_are_brought_home_when_one_fails(
    scene: Any, crossing: Any, says: Any, like: Any, agent: Any
) -> None:
    def say(request: Any) -> str:
        if "wall 0?" in request.messages[-1].text:
            raise EndpointError("gone")
        return says(request)

    played = scene(AnswererChoice(shadow="model"), crossing(order=lambda n: 4.0 * n, say=say))
    with pytest.raises(EndpointError):
        played.ask_all([(agent(), like(f"wall {n}")) for n in range(4)])
    assert len(list(played.ledger.run.calls())) == 3


def test_whoever_watches_is_told_every_question_and_who_answers(scene: Any, like: Any, agent: Any) -> None:
    played = scene(AnswererChoice(shadow="model"))
    seen: list[tuple[str, str]] = []
    played.answering.watch = lambda batch, answers: seen.append((batch[0].place.kind, answers[0].answerer))
    asyncio.run(played.lane.ask(agent(), like("door")))
    assert seen == [("test.like", "offline"), ("test.like~shadow", "model")]


def test_whoever_watches_answers_is_told_each_with_its_question(scene: Any, like: Any, agent: Any) -> None:
    played = scene(AnswererChoice())
    seen: list[Any] = []
    played.answering.watch = lambda batch, answers: seen.append(
        [(asked.place.asker, answer.reply) for asked, answer in zip(batch, answers, strict=True)]
    )
    assert not played.answering.at_once("ada", "test.like") and not played.answering.is_all_offline
    given = played.ask_all([(agent("ada"), like("door")), (agent("ben"), like("door"))])
    assert seen == [list(zip(["ada", "ben"], given, strict=True))]


def test_what_answers_is_labelled_for_the_record(scene: Any) -> None:
    answering = scene(AnswererChoice(kind={"test.like": "model"})).answering
    assert answering.label("ada", "test.like", "rules/3") == "model:m/1"
    assert answering.label("ada", "test.other", "rules/3") == "rules/3"


@pytest.mark.parametrize(("waits", "most"), [(True, 4), (False, 1)])
def test_only_answers_that_are_waited_for_are_asked_at_the_same_time(
    waits: bool, most: int, scene: Any, like: Any, agent: Any, echo: Any, liked: Any
) -> None:
    under_way: list[str] = []
    widths = []

    class Slow(echo):  # type: ignore[misc]
        async def answer(self, asked: Any) -> Any:
            under_way.append(asked.place.asker)
            widths.append(len(under_way))
            await asyncio.sleep(0)
            under_way.remove(asked.place.asker)
            return await super().answer(asked)

    person = Slow(liked(pick="red", level=1), 3)
    person.waits = waits
    names = ["ada", "ben", "cleo", "dora"]
    replies = scene(AnswererChoice(default="human"), human=person).ask_all(
        [(agent(name), like("door")) for name in names]
    )
    assert [r.level for r in replies] == [1] * 4 and [a.place.asker for a in person.asked] == names
    assert max(widths) == most
