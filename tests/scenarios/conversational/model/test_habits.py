"""What people say after what systems say."""

from collections import Counter

import pytest
from small_catalogue import act

from openiir.plugin import Draw
from openiir.scenarios.conversational.model.dialogue import Dialogue, Utterance
from openiir.scenarios.conversational.model.reply_habits import NO_HABITS, ReplyHabits


def spoken(*turns: tuple[str, tuple[str, ...]]) -> Dialogue:
    said = tuple(
        Utterance(speaker=speaker, text="", acts=tuple(act(intent) for intent in intents))  # type: ignore[arg-type]
        for speaker, intents in turns
    )
    return Dialogue(id="d", utterances=said)


PAST = [
    spoken(
        ("system", ("GREET", "ELICIT")),
        ("user", ("DISCLOSE",)),
        ("system", ("OTHER",)),
        ("user", ("DONT_KNOW",)),
    ),
    spoken(
        ("system", ("ELICIT", "GREET")),
        ("user", ("DISCLOSE",)),
        ("system", ("GREET",)),
        ("user", ("DISCLOSE",)),
    ),
]


def test_counts_are_of_turns_taken_together_and_one_by_one() -> None:
    habits = ReplyHabits.count(PAST)
    assert habits.compound["ELICIT", "GREET"] == {"DISCLOSE": 2}
    assert habits.single["GREET"] == {"DISCLOSE": 3}
    assert habits.single["OTHER"] == {"DONT_KNOW": 1}


@pytest.mark.parametrize(
    ("heard", "share"),
    [(("ELICIT", "GREET"), 3 / 4), (("OTHER",), 1 / 3), (("OFFER",), 1 / 2), (("GREET", "OTHER"), 4 / 6)],
)
def test_choices_have_smoothed_shares(heard: tuple[str, ...], share: float) -> None:
    habits = ReplyHabits.count(PAST)
    legal = ["DISCLOSE", "DONT_KNOW"]
    acts = [act(intent) for intent in heard]
    chosen = Counter(habits.next(acts, legal, Draw(seed, "test")) for seed in range(3_000))
    assert chosen["DISCLOSE"] / 3_000 == pytest.approx(share, abs=0.04)


def test_nothing_known_is_uniform_and_what_is_not_legal_never_comes() -> None:
    chosen = Counter(NO_HABITS.next([act("GREET")], ["A", "B"], Draw(seed, "test")) for seed in range(1_000))
    assert chosen["A"] / 1_000 == pytest.approx(0.5, abs=0.06)
    assert ReplyHabits.count(PAST).next([act("GREET")], ["BYE"], Draw(1, "test")) == "BYE"
