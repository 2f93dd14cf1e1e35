"""Where a model answers for personas, what they decide reaches writers, publishers and the page of others."""

import pytest
from answered_runs import run_answered

from openiir.core.asking import Answer, OfflineAnswerer
from openiir.core.storage import Log
from openiir.scenarios.open_web.questions import SpaceReply

SETS = (
    "config.people=24",
    "config.spaces.number=4",
    "config.spaces.writers=3",
    "config.rounds=4",
    "config.shares=[0.5]",
    "config.prices=[0.01]",
    "config.visits.summaries=0.5",
    "answers=model",
    "model.name=any",
)


class Scripted(OfflineAnswerer):
    """A model whose personas open the second piece, follow the writer of the first, and leave in week 3.

    Ruth gives no usable answer.
    """

    name = label = "model"

    def __init__(self, asked):
        self.asked = asked

    async def answer(self, asked):
        self.asked.append(asked)
        if asked.place.asker == "ruth-okafor":
            return Answer(None, self.name, failure="said nothing")
        leaves = asked.place.step == 3
        return self.wrap(SpaceReply(piece=2, opens=True, worth=False, follows=1, leaves=leaves))


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    asked = []
    with run_answered("open_web", SETS, tmp_path_factory.mktemp("model") / "run", Scripted(asked)) as run:
        yield Log(run), asked


def test_personas_are_asked_in_each_arm_until_they_leave(ran):
    log, asked = ran
    seen = {}
    for one in asked:
        seen.setdefault((one.place.lane, one.place.asker), []).append(one.place.step)
    assert {lane for lane, _ in seen} == {"human", "50% at 1%"}
    for (_, asker), steps in seen.items():
        assert steps == ([1, 2, 3, 4] if asker == "ruth-okafor" else [1, 2, 3])


def test_what_they_decide_counts(ran):
    log, asked = ran
    looked = log.columns("looked")
    for one in asked:
        row = log.members.row(one.place.asker)
        at = (
            (looked["arm"] == one.place.lane) & (looked["step"] == one.place.step) & (looked["member"] == row)
        )
        did = {name: column[at].tolist()[0] for name, column in looked.items()}
        if one.place.asker == "ruth-okafor":
            assert (did["writer"], did["follows"], did["opened"], did["left"]) == (-1, -1, False, False)
        else:
            assert did["opened"] and not did["worth"] and did["left"] == (one.place.step == 3)
            assert did["writer"] >= 0 and did["follows"] >= 0
    for row in log.table("weeks"):
        own = (looked["arm"] == row["arm"]) & (looked["step"] == row["step"])
        away = 24 - own.sum()
        usual = 0.15 + 0.5 * (0.08 - 0.15)
        assert row["views"] == pytest.approx((looked["opened"][own].sum() + away * usual) / 24, abs=1e-6)


def test_they_are_told_what_they_saw_and_did_in_this_arm_alone(ran):
    log, asked = ran
    for one in asked:
        question, before = one.question.facts_only, one.place.step - 1
        assert len(question.remembered) == before
        if before and one.place.asker != "ruth-okafor":
            earlier = [
                old.question.facts_only.page
                for old in asked
                if (old.place.asker, old.place.lane) == (one.place.asker, one.place.lane)
                and old.place.step <= before
            ]
            for told, page in zip(question.remembered, earlier, strict=True):
                programs = sum("as if a program wrote it" in piece for piece in page)
                title = page[1].partition("\n")[0]
                assert f"{programs} of 6 pieces" in told and f'You opened "{title}"' in told
        shown = "Your assistant says" in question.page[0]
        assert all(("Your assistant says" in piece) == shown for piece in question.page)
    assert {"Your assistant says" in one.question.page[0] for one in asked} == {True, False}


def test_prompts_do_not_tell_which_arm_it_is(ran):
    for one in ran[1]:
        text = "".join(message.text for message in one.messages())
        assert "%" not in text and "arm" not in text.split() and "agent" not in text.lower()
