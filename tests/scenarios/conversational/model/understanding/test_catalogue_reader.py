"""Acts found by catalogue and patterns, in our own words and in those of systems that people met."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openiir.plugin import Draw
from openiir.scenarios.conversational.behaviour.systems.wording import WORDINGS as SAYS
from openiir.scenarios.conversational.model.dialogue import build_act as act
from openiir.scenarios.conversational.model.generation.templates import Templates
from openiir.scenarios.conversational.model.generation.wordings import WORDINGS

from .conftest import format_acts

LIGHTS, LIZARDS = "Harbour Lights (1999)", "Night of the Lizards (2012)"


def plain(acts):
    return [(one.intent, sorted(one.pairs, key=str)) for one in acts]


SAID = [
    act(intent, *pairs)
    for intent in WORDINGS
    for pairs in {
        "DISCLOSE": [
            (),
            (("genre", "Horror"),),
            (("director", "Jo Silva"), ("year", "2012")),
            (("genre", "Drama"), ("actor", "Ida Fenn")),
        ],
        "CRITIQUE": [(), (("genre", "Comedy"),), (("actor", "Rex Howe"), ("year", "2008"))],
        "INQUIRE": [
            (),
            *((((slot, None),)) for slot in ("director", "actor", "year", "plot", "genre", "rating")),
            (("genre", "War"),),
        ],
        "LIKE": [(), (("genre", "Horror"),), (("title", LIGHTS),)],
        "DISLIKE": [(), (("genre", "Horror"),), (("title", LIGHTS),)],
        "NEUTRAL": [(), (("genre", "Horror"),), (("title", LIGHTS),)],
        "CONSUMED": [(), (("title", LIZARDS),)],
        "ACCEPT": [(), (("title", LIZARDS),)],
    }.get(intent, [()])
]


@pytest.mark.parametrize("said", SAID, ids=lambda said: format_acts([said]))
def test_our_own_wordings_are_understood(reader, said):
    words = Templates()
    for text in sorted({words.render([said], Draw(1, "t", item=n)) for n in range(150)}):
        assert plain(reader.user_acts(text)) == plain([said]), text


def test_several_acts_in_one_turn_are_understood(reader):
    words = Templates()
    turn = [
        act("CONSUMED"),
        act("DISLIKE"),
        act("CRITIQUE", ("genre", "Comedy")),
        act("INQUIRE", ("director", None)),
    ]
    for n in range(60):
        text = words.render(turn, Draw(2, "t", item=n))
        assert plain(reader.user_acts(text)) == plain(turn), text


def reference_turns():
    facts = ("genre Horror and director Jo Silva", (("genre", "Horror"), ("director", "Jo Silva")))
    yield from ((text, "GREET", ()) for text in SAYS["GREET"])
    for slot in ("genre", "director", "actor", "year", "title"):
        yield from ((text, "ELICIT", ((slot, None),)) for text in SAYS[f"ELICIT {slot}"])
    yield from ((text.format(slot="country"), "ELICIT", (("country", None),)) for text in SAYS["ELICIT"])
    for title in (LIGHTS, LIZARDS, "It (2017)", "Schumann's List (1993)"):
        yield from (
            (text.format(titles=title), "RECOMMEND", (("title", title),)) for text in SAYS["RECOMMEND"]
        )
    both = (("title", LIGHTS), ("title", LIZARDS))
    yield from ((text.format(titles=f"{LIGHTS}; {LIZARDS}"), "RECOMMEND", both) for text in SAYS["SEVERAL"])
    for slot, value in (
        ("genre", "Horror"),
        ("director", "Jo Silva"),
        ("actor", "Rex Howe"),
        ("year", "2012"),
    ):
        yield from (
            (text.format(values=value), "INFORM", ((slot, value),)) for text in SAYS[f"INFORM {slot}"]
        )
    yield from ((text.format(slot="director"), "INFORM", (("director", None),)) for text in SAYS["UNKNOWN"])
    several = (
        "genres Horror and Comedy, director Jo Silva",
        (("genre", "Horror"), ("genre", "Comedy"), ("director", "Jo Silva")),
    )
    yield from (
        (text.format(facts=words), "INFORM", pairs)
        for text in SAYS["FITS"]
        for words, pairs in (facts, several)
    )
    yield from ((text.format(facts=facts[0]), "ACKNOWLEDGE", facts[1]) for text in SAYS["ACKNOWLEDGE"])
    offered = (("director", None), ("year", None))
    yield from ((text.format(slots="director and year"), "OFFER", offered) for text in SAYS["OFFER"])
    yield from ((text.format(facts=facts[0]), "NOTHING_FOUND", facts[1]) for text in SAYS["DROPPED"])
    yield from ((text, "NOTHING_FOUND", ()) for text in SAYS["NOTHING_FOUND"])


@pytest.mark.parametrize(("text", "intent", "pairs"), list(reference_turns()))
def test_the_reference_systems_are_understood(reader, text, intent, pairs):
    assert plain(reader.system_acts(text)) == plain([act(intent, *pairs)])


@pytest.mark.parametrize(
    "text", [text for name, texts in SAYS.items() if name[:3] == "BYE" for text in texts]
)
def test_their_goodbyes_are_too(reader, text):
    assert reader.system_acts(text)[-1].intent == "BYE"


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        ("Hi there. What kind of movies do you like?", "GREET()|ELICIT(genre)"),
        ("Do you like horror?", 'ELICIT(genre="Horror")'),
        ("Do you like: Two Weeks in Tromso 6.4 84 min", 'RECOMMEND(title="Two Weeks in Tromso (2008)")'),
        ("Do you like: Unheard Of, Too 6.4 84 min", 'RECOMMEND(title="Unheard Of, Too")'),
        (
            "There is a comedy film named Orbital Mechanics. Have you seen this one?",
            'RECOMMEND(title="Orbital Mechanics (2001)")',
        ),
        ("Any director in mind? For example, 'Jo Silva' or 'Ada Lund'.", "ELICIT(director)"),
        ("What would you like to know about Harbour Lights?", "OFFER()"),
        ("The director of this movie is Tom Kessel.", 'INFORM(director="Tom Kessel")'),
        ("Sorry, I couldn't find any horror movies.", 'ACKNOWLEDGE()|NOTHING_FOUND(genre="Horror")'),
        (
            "I would recommend the following items: 1: It (2017) 2: Zed (1980) 3: Harbour Lights (1999) ",
            'RECOMMEND(title="It (2017)",title="Zed (1980)",title="Harbour Lights (1999)")',
        ),
        (
            "I would recommend the following items   \n1  Eldest One  \n2  Harbour Lights  \n",
            'RECOMMEND(title="Eldest One",title="Harbour Lights (1999)")',
        ),
        (
            "1: It (2017) 2: Harbour Lights 3: It (2017) ",
            'RECOMMEND(title="It (2017)",title="Harbour Lights (1999)")',
        ),
        ("Harbour Lights (1999) is a perfect movie!!", 'RECOMMEND(title="Harbour Lights (1999)")'),
        ("Have you seen Night of the Lizards?", f'RECOMMEND(title="{LIZARDS}")'),
        (LIZARDS, f'RECOMMEND(title="{LIZARDS}")'),
        (
            "Noted: year 1981. I recommend Ring of Iron (1981).",
            'ACKNOWLEDGE()|RECOMMEND(title="Ring of Iron (1981)")',
        ),
        ("Like this one?", "OTHER()"),
        ("Have you seen it?", "OTHER()"),
        ("Have you seen It?", 'RECOMMEND(title="It (2017)")'),
        ("Have you seen It (1950)?", 'RECOMMEND(title="It (1950)")'),
        (f"Since you like {LIGHTS}, you might like {LIZARDS}.", f'RECOMMEND(title="{LIZARDS}")'),
        (
            "It is a horror film from 2012 starring Rex Howe.",
            'INFORM(genre="Horror",year="2012",actor="Rex Howe")',
        ),
        ("is a comedy film", 'INFORM(genre="Comedy")'),
        ("You are exiting. Bye.", "BYE()"),
        ("", ""),
        ("\n\t ", ""),
        ("qwertz", "OTHER()"),
    ],
)
def test_what_systems_say(reader, text, acts):
    assert format_acts(reader.system_acts(text)) == acts


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        (
            "I don't really like horror movies what about comedies",
            'DISLIKE(genre="Horror")|CRITIQUE(genre="Comedy")',
        ),
        ("No movies with horror.", 'DISLIKE(genre="Horror")'),
        ("comedy, horror", 'DISCLOSE(genre="Comedy",genre="Horror")'),
        ("something with Ole Brandt from 1999", 'DISCLOSE(actor="Ole Brandt",year="1999")'),
        ("a movie directed by Ole Brandt please", 'DISCLOSE(director="Ole Brandt")'),
        ("No, what's that about?", "NO()|INQUIRE(plot)"),
        ("I have seen it and enjoyed it.", "CONSUMED()|LIKE()"),
        ("I loved Bye Bye Blackbird", 'LIKE(title="Bye Bye Blackbird (2005)")'),
        ("Yes, I like it", "YES()|LIKE()"),
        ("director name", "INQUIRE(director)"),
        ("How long is it?", "INQUIRE(duration)"),
        ("Thanks, bye!", "BYE()"),
        ("anything else?", "CRITIQUE()"),
        ("I would like to quit now.", "BYE()"),
        ("\\end", "BYE()"),
        ("\\giveup", "GIVE_UP()"),
        ("", ""),
    ],
)
def test_what_people_say(reader, text, acts):
    assert format_acts(reader.user_acts(text)) == acts


def test_values_have_their_places(reader):
    text = "Do you want comedies with OLE BRANDT?"
    found = {
        slot.value: text[slot.start : slot.end] for one in reader.system_acts(text) for slot in one.slots
    }
    assert found == {"Comedy": "comedies", "Ole Brandt": "OLE BRANDT"}


def test_words_after_a_question_answer_it(reader):
    before = (("system", "How about Harbour Lights?"), ("user", "What is it about?"))
    text = "A keeper finds a letter that was never sent"
    assert format_acts(reader.system_acts(text, before)) == "INFORM(plot)"
    assert format_acts(reader.system_acts(text)) == "OTHER()"


def test_an_answer_to_a_question_is_no_critique(reader):
    text = "How about comedy?"
    assert format_acts(reader.user_acts(text)) == 'CRITIQUE(genre="Comedy")'
    asked = (("system", "What genre do you like?"),)
    assert format_acts(reader.user_acts(text, asked)) == 'DISCLOSE(genre="Comedy")'
    offered = (("system", "How about Harbour Lights?"),)
    assert format_acts(reader.user_acts(text, offered)) == 'CRITIQUE(genre="Comedy")'


def test_items_are_named_by_their_ids(reader):
    assert reader.items(f"How about {LIZARDS} or Harbour Lights (1999)?") == ("m5", "m0")
    assert reader.items_of([act("RECOMMEND", ("title", "It (2017)"), ("title", "Nothing Known"))]) == ("m4",)


def test_values_are_grounded_in_the_catalogue(reader):
    text = "I like comedies and schumann's list"
    found = reader.ground(
        [act("LIKE", ("genre", "comedies"), ("title", "schumann's list"), ("year", "1066"))], text
    )
    assert found[0].pairs == (("genre", "Comedy"), ("title", "Schumann's List (1993)"), ("year", "1066"))
    assert text[found[0].slots[0].start : found[0].slots[0].end] == "comedies"


@given(st.text(max_size=200) | st.text(alphabet="ab. ,?!'\"()1290İ\ue000\uf000’It", max_size=80))
@settings(deadline=None, max_examples=150)
def test_any_text_can_be_read(reader, text):
    for one in (*reader.user_acts(text), *reader.system_acts(text)):
        for slot in one.slots:
            assert slot.start is None or 0 <= slot.start < slot.end <= len(text)
