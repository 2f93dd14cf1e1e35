import math
from statistics import fmean

from openiir.scenarios.conversational.measures.conduct import (
    constraint_coverage,
    ignored_critique_rate,
    repeated_question_rate,
)
from openiir.scenarios.conversational.model.dialogue import build_act, build_utterance


def said(intent, *pairs):
    return build_utterance("user", "", [build_act(intent, *pairs)])


def asks(*pairs):
    return build_utterance("system", "", [build_act("ELICIT", *pairs)])


def offers(*items):
    return build_utterance("system", "", [build_act("RECOMMEND")], items)


NEED = (("genre", "drama"), ("year", "1990"))


def test_coverage_counts_what_was_told_and_what_was_confirmed():
    assert constraint_coverage(NEED, [said("DISCLOSE", ("Genre", "Drama"))]) == 0.5
    assert (
        constraint_coverage(NEED, [asks(("year", "1990")), said("YES"), said("CRITIQUE", ("genre", "drama"))])
        == 1
    )
    assert constraint_coverage(NEED, [asks(("year", "1990")), said("NO")]) == 0
    both = asks(("genre", "drama"), ("year", "1990"))
    assert constraint_coverage(NEED, [both, said("YES")]) == 0
    assert (
        constraint_coverage(NEED, [both, said("YES", ("year", None))])
        == 0.5
        == constraint_coverage(NEED, [both, said("YES", ("genre", "Drama"))])
    )
    two = asks(("genre", "drama"), ("genre", "war"))
    assert (
        constraint_coverage(NEED, [two, said("YES", ("genre", None))])
        == 0
        == constraint_coverage(NEED, [two, said("YES", ("genre", "war"))])
    )
    assert constraint_coverage(NEED, [said("DISCLOSE", ("genre", "comedy"))]) == 0
    assert math.isnan(constraint_coverage((), []))


def test_a_question_is_repeated_where_it_was_asked_or_answered():
    talk = [
        asks(("genre", None)),
        said("DISCLOSE", ("genre", "drama"), ("year", "1990")),
        asks(("year", None)),
        asks(("genre", None)),
    ]
    assert [repeated_question_rate(talk[:n]) for n in (1, 3, 4)] == [0, 1 / 2, 2 / 3]
    values = [asks(("genre", "drama")), said("NO"), asks(("genre", "comedy")), asks(("genre", "drama"))]
    assert [repeated_question_rate(values[:n]) for n in (1, 3, 4)] == [0, 0, 1 / 3]
    assert repeated_question_rate([asks(), said("DONT_KNOW"), asks()]) == 1 / 2
    assert math.isnan(repeated_question_rate([said("DISCLOSE")]))


def naive(talk, facts):
    """Every critique looks ahead for itself."""
    found = []
    for n, one in enumerate(talk):
        wants = [pair for act in one.acts if act.intent == "CRITIQUE" for pair in act.pairs]
        if one.speaker != "user" or not wants:
            continue
        for later in talk[n + 1 :]:
            if any(act.intent == "CRITIQUE" for act in later.acts):
                break
            if later.items:
                found.append(not all(pair in facts[later.items[0]] for pair in wants))
                break
    return found


def test_a_critique_is_ignored_where_the_next_offer_violates_it():
    facts = {"a": {("genre", "drama")}, "b": {("genre", "drama"), ("year", "1990")}, "c": set()}
    meets = lambda item, slot, value: (slot, value) in facts[item]  # noqa: E731
    talk = [
        offers("c"),
        said("CRITIQUE", ("genre", "drama")),
        offers("a", "c"),
        said("CRITIQUE", ("year", "1990")),
        asks(),
        said("DISCLOSE", ("year", "1990")),
        offers("c"),
        said("CRITIQUE", ("genre", "drama"), ("year", "1990")),
        offers("b"),
        offers("c"),
        said("CRITIQUE", ("genre", "drama")),
    ]
    assert naive(talk, facts) == [False, True, False]
    for end in (3, 7, 9, len(talk)):
        assert ignored_critique_rate(talk[:end], meets) == fmean(naive(talk[:end], facts))
    assert math.isnan(ignored_critique_rate(talk, lambda *_: None))
