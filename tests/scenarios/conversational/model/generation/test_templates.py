"""Own wordings for user acts: enough of them, no value lost, none by chance."""

from collections import Counter
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openiir.plugin import Draw, InputError
from openiir.scenarios.conversational.model.dialogue import UserIntent
from openiir.scenarios.conversational.model.dialogue import build_act as act
from openiir.scenarios.conversational.model.generation.phrases import NOUNS, slot_key
from openiir.scenarios.conversational.model.generation.templates import Templates

WORDS = Templates()
INTENTS = get_args(UserIntent)


def texts(acts, talkativeness=0.5, n=400, words=WORDS):
    return [words.render(acts, Draw(3, "t", item=i), talkativeness) for i in range(n)]


@pytest.mark.parametrize("intent", INTENTS)
def test_every_act_has_eight_wordings(intent):
    assert len(set(texts([act(intent)]))) >= 8


@pytest.mark.parametrize(
    "intent",
    "DISCLOSE CRITIQUE LIKE DISLIKE NEUTRAL INQUIRE CONSUMED ACCEPT YES NO DONT_KNOW".split(),
)
def test_acts_with_values_have_eight_wordings_too(intent):
    said = set(texts([act(intent, ("genre", "Horror"))]))
    assert len(said) >= 8 and all("Horror" in text for text in said)


values = st.text(min_size=1, max_size=40) | st.sampled_from(
    [
        "{x}",
        "Good, the Bad (1966)",
        "O'Neil",
        'He said "no"',
        "<what>",
        "<it>",
        "Amélie",
        "\\",
        "%s",
        "A",
        "[]",
        "🎬",
    ]
)
slots = st.sampled_from(["genre", "GENRE", "actors", "director", "title", "year", "keyword", "odd_slot", "x"])
acts = st.lists(
    st.builds(
        lambda intent, pairs: act(intent, *pairs),
        st.sampled_from(INTENTS),
        st.lists(st.tuples(slots, st.none() | values), max_size=3),
    ),
    max_size=4,
)


@given(acts, st.floats(0, 1), st.integers(0, 1000), st.sampled_from(list(NOUNS)))
@settings(deadline=None, max_examples=150)
def test_every_value_is_in_the_text_as_it_stands(said, talkativeness, seed, kind):
    text = Templates(kind).render(said, Draw(seed, "t"), talkativeness)
    assert text
    for one in said:
        for _, value in one.pairs:
            assert value is None or value in text


@pytest.mark.parametrize("kind", list(NOUNS))
def test_no_place_is_left_open(kind):
    words = Templates(kind)
    for intent in INTENTS:
        for pairs in ((), (("genre", "Horror"),), (("director", None),), (("title", "Up"), ("year", None))):
            for text in texts([act(intent, *pairs)], n=60, words=words):
                assert not set("<>{}") & set(text)


def test_the_talkative_say_more():
    said = [act("DISCLOSE", ("genre", "Horror")), act("BYE")]
    length = {t: sum(map(len, texts(said, t))) for t in (0, 0.5, 1)}
    assert length[0] < 0.85 * length[0.5] and length[0.5] < 0.85 * length[1]


def test_at_a_half_all_wordings_are_as_likely():
    counts = Counter(texts([act("GREET")], n=4_500))
    assert len(counts) == 9 and all(400 < n < 600 for n in counts.values())


def test_several_acts_are_said_in_order_and_neighbours_together():
    text = WORDS.render(
        [act("CONSUMED"), act("DISCLOSE", ("genre", "Horror")), act("DISCLOSE", ("actor", "Bo Derek"))],
        Draw(1, "t"),
    )
    assert "Horror movie with Bo Derek in it" in text
    both = WORDS.render([act("INQUIRE", ("director", None)), act("INQUIRE", ("year", None))], Draw(1, "t"))
    assert both.count("it") >= 2 and "directed" in both and "came out" in both.replace("did it come", "came")


def test_several_movies_are_spoken_of_as_several():
    for text in texts([act("LIKE", ("actor", "Bo Derek"))], n=20):
        assert "movies with Bo Derek in them" in text


def test_questions_about_two_items_stay_apart():
    two = [
        act("INQUIRE", ("director", None), ("title", "Up")),
        act("INQUIRE", ("year", None), ("title", "Her")),
    ]
    assert all("directed Up" in text and "Up and Her" not in text for text in texts(two, n=50))


def test_the_same_draw_says_the_same():
    said = [act("LIKE"), act("INQUIRE", ("plot", None))]
    assert texts(said, n=20) == texts(said, n=20)
    other = [WORDS.render(said, Draw(4, "t", item=i)) for i in range(20)]
    assert other != texts(said, n=20)


def test_wordings_of_the_second_act_do_not_follow_the_first():
    pairs = Counter(texts([act("GREET"), act("YES")], n=3_000))
    assert len(pairs) == 9 * 9


def test_unknown_acts_and_kinds_are_refused():
    with pytest.raises(InputError, match="users have no act 'SING'"):
        WORDS.render([act("SING")], Draw(1, "t"))
    with pytest.raises(InputError, match="kind 'song'"):
        Templates("song")


@pytest.mark.parametrize(
    ("slot", "kept"),
    [
        ("Genres", "genre"),
        ("directors", "director"),
        ("genre", "genre"),
        ("Status", "status"),
        ("bus", "bus"),
    ],
)
def test_phrases_for_a_slot_are_found_by_its_plural_too(slot: str, kept: str) -> None:
    assert slot_key(slot) == kept


def test_titles_come_before_a_description_of_the_other_values():
    pairs = ("title", "Heat"), ("genre", "Horror"), ("name", "Up"), ("year", "1999")
    assert "I like Heat, Up and Horror movies from 1999." in texts([act("LIKE", *pairs)], n=60)
