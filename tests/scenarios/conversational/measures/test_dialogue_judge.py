"""The judge of dialogues: grades offline, probes, and what is noted."""

import asyncio
import math
from dataclasses import replace
from types import SimpleNamespace
from typing import get_args

import pytest

from openiir.core.asking.placed_question import form_words
from openiir.plugin import Draw, UnusableAnswer
from openiir.scenarios.conversational.behaviour.systems.wording import WORDINGS as SAYS
from openiir.scenarios.conversational.config import DialogueJudgeSpec
from openiir.scenarios.conversational.measures.judges import halo
from openiir.scenarios.conversational.model.dialogue import Need, UserIntent, build_act, build_utterance
from openiir.scenarios.conversational.model.grading.heuristic_judge import (
    ANSWERS,
    PARTING,
    grade,
    reading_ease,
)
from openiir.scenarios.conversational.model.grading.judged_dialogue import (
    JudgedDialogue,
    JudgedItem,
    has_doubled_word,
    reaction,
    repeats_by_turn,
    repeats_request,
    seems_to_name,
)
from openiir.scenarios.conversational.questions.judge import RUBRICS, DialogueGrades, judge_question
from openiir.scenarios.conversational.run.actions import DialogueJudged, DialogueLogged, DialogueOffer
from openiir.scenarios.conversational.run.judge import (
    ASPECTS,
    PROBES,
    judge_dialogues,
    judged_dialogue,
    pad_dialogue,
    probe_question,
)


def said(speaker, text, *intents, slots=(), items=()):
    pairs = [(slot, None) if isinstance(slot, str) else slot for slot in slots]
    return build_utterance(speaker, text, (build_act(one, *pairs) for one in intents), items)


def held(number=0, system="attribute", end="satisfied", **other):
    values = {
        "number": number,
        "simulator": "agenda",
        "system": system,
        "group": "everybody",
        "need": Need(constraints=(("genre", "drama"),), requests=("year",), targets=("7",)),
        "difficulty": 0.5,
        "utterances": (
            said("user", "I want a drama.", "DISCLOSE"),
            said("system", "Which year?", "ELICIT", slots=("year",)),
            said("user", "I do not know.", "DONT_KNOW"),
            said("system", "How about Heat?", "RECOMMEND", items=("7",)),
            said("user", "I will take it.", "ACCEPT"),
        ),
        "offers": (DialogueOffer(turn=2, items=("7",), titles=("Heat",), utilities=(0.9,)),),
        "informed": (),
        "accepted": "7",
        "end": end,
        "reason": "",
    }
    return DialogueLogged(**(values | other))


def talk(*lines, end=""):
    return JudgedDialogue(
        tuple(said("user" if line[0] == "u" else "system", line[2:]) for line in lines), end=end
    )


class Room:
    """A stage that answers offline, or by what it is told."""

    def __init__(self, answer=None):
        self.answer = answer
        self.asked, self.noted = [], []
        self.answering = SimpleNamespace(seed=3)

    async def ask_all(self, batch):
        self.asked += batch
        reply = self.answer or (lambda n, q: q.offline(Draw(0, "judge", item=n)))
        return [reply(n, question) for n, (_, question) in enumerate(batch)]

    def act(self, actor, action):
        self.noted.append((actor, action))


def test_every_aspect_has_a_rubric_and_a_reckoning():
    whole = judged_dialogue(held())
    for aspect in ASPECTS:
        question = judge_question(whole, aspect)
        assert RUBRICS[aspect][0] in question.prompt() and question.subject == aspect
        reply = question.offline(Draw(0, "x"))
        assert 1 <= reply.grade <= 5 and reply.what_you_see
        assert reply == question.offline(Draw(9, "y"))


def test_the_form_of_the_reply_says_what_a_grade_is_and_no_grade_is_shown_by_a_bundled_systems_words():
    for question in (
        judge_question(judged_dialogue(held()), "flow"),
        judge_question(judged_dialogue(held()), *ASPECTS),
    ):
        assert "- grade: 1 to 5" in form_words(question, "example")
    said = [way.partition("{")[0] for way in (*SAYS["FITS"], *SAYS["RECOMMEND"], *SAYS["DROPPED"])]
    assert not [
        way for way in said if any(way in grade for _, *grades in RUBRICS.values() for grade in grades)
    ]


def test_questions_about_one_dialogue_begin_alike():
    questions = [judge_question(judged_dialogue(held(), person="Tires soon."), aspect) for aspect in ASPECTS]
    assert (
        len(
            {
                (one.system(), one.prompt().split("Tires soon.")[0].split("Grade one thing")[0])
                for one in questions
            }
        )
        == 1
    )


def test_a_judge_is_told_need_offers_and_end_and_nothing_of_the_simulator_or_the_grade():
    known = {"7": (("genre", "crime"),)}.get
    question = judge_question(
        judged_dialogue(held(system="attribute"), known, lambda number, item: True, "Tires soon."),
        "relevance",
    )
    words = question.prompt()
    for shown in (
        "had in mind, said or unsaid, the most important first: drama.",
        "its year",
        "Heat (turn 4): crime. The person had had it before.",
        "took Heat.",
    ):
        assert shown in words
    assert not any(
        hidden in words for hidden in ("attribute", "agenda", "0.9", "worth", "ELICIT", "Tires soon")
    )
    assert (
        "Tires soon."
        in judge_question(judged_dialogue(held(), person="Tires soon."), "satisfaction").prompt()
    )


def test_what_an_offer_was_worth_moves_the_offline_judge_alone():
    whole = judged_dialogue(held())
    other = replace(whole, shown=(replace(whole.shown[0], worth=0.1),))
    assert grade(other, "relevance") != grade(whole, "relevance")
    assert judge_question(other, "relevance").prompt() == judge_question(whole, "relevance").prompt()


def test_satisfaction_is_the_published_reckoning():
    whole = judged_dialogue(held())
    assert grade(whole, "satisfaction").grade == pytest.approx(
        1 + 4 / (1 + 2.718281828 ** -(2 - 0.45 + 0.45))
    )
    assert grade(judged_dialogue(held(end="gave-up")), "satisfaction").grade == pytest.approx(3)
    assert grade(whole, "relevance").grade == pytest.approx(4.6)


def test_nothing_recommended_has_the_lowest_relevance():
    assert grade(talk("u:a drama please", "s:Hello."), "relevance").grade == 1
    assert grade(judged_dialogue(held(offers=(), utterances=held().utterances[:2])), "relevance").grade == 1


def test_without_a_need_the_items_facts_are_held_against_what_was_said():
    base = talk("u:a scary horror film", "s:Try Heat (1995)", "u:ok")
    good = replace(base, shown=(JudgedItem(2, "Heat", (("genre", "horror"),)),))
    bad = replace(base, shown=(JudgedItem(2, "Heat", (("genre", "comedy"),)),))
    assert grade(good, "relevance").grade == 5 and grade(bad, "relevance").grade == 1
    assert grade(good, "satisfaction").grade > grade(bad, "satisfaction").grade


def test_flow_counts_acts_that_fit():
    turns = (
        said("user", "Is it long?", "INQUIRE"),
        said("system", "Try Ran.", "RECOMMEND"),
        said("user", "no", "DISLIKE"),
        said("system", "Try Heat.", "ACKNOWLEDGE", "RECOMMEND", "INFORM", slots=("year",)),
        said("user", "no", "DISLIKE"),
        said("system", "Try Heat.", "RECOMMEND"),
    )
    assert grade(JudgedDialogue(turns), "flow").grade == pytest.approx(5 - 4 * 2 / 3)
    assert {*ANSWERS, *PARTING} == set(get_args(UserIntent)) - {"GREET", "OTHER"}


def after(user, *system, tells=(), misses=(), shown=()):
    """The grade of flow of one reply to one act."""
    return grade(
        JudgedDialogue(
            (
                said("user", "So.", user, slots=misses),
                said("system", "Well.", *system, slots=tells),
            ),
            shown,
        ),
        "flow",
    ).grade


def test_a_reply_fits_where_one_act_answers_and_courtesies_answer_nothing():
    assert (
        after("DISCLOSE", "RECOMMEND", "INFORM", tells=("genre",))
        == 5
        == after("DISCLOSE", "ACKNOWLEDGE", "ELICIT")
    )
    assert after("DISCLOSE", "ACKNOWLEDGE") == 1 == after("DISCLOSE", "INFORM", tells=("year",))
    assert after("INQUIRE", "RECOMMEND") == 1 == after("INQUIRE", "RECOMMEND", "INFORM")
    assert (
        after("INQUIRE", "RECOMMEND", "INFORM", tells=("year",)) == 5 == after("INQUIRE", "A-NAME-OF-OTHERS")
    )
    assert after("GIVE_UP", "BYE") == 5 == after("OTHER", "INFORM") and after("BYE", "BYE", "ELICIT") == 1


def test_a_recommendation_that_lacks_what_was_just_missed_does_not_fit():
    missed = (("genre", "Drama"), ("year", "1990"))
    for facts, fits in (
        ((("genre", "drama"),), True),
        ((("genre", "comedy"), ("genre", "war")), False),
        ((), True),
    ):
        shown = (JudgedItem(2, "Heat", facts, 1.0), JudgedItem(2, "Ran", (("genre", "comedy"),), 1.0))
        assert after("CRITIQUE", "RECOMMEND", misses=missed, shown=shown) == (5 if fits else 1)


def test_style_and_fluency_count_slips():
    assert grade(talk("u:hi", "s:Hello."), "style").grade == 5
    assert grade(talk("s:" + "word " * 70), "style").grade == 3
    hard = (
        "s:Institutional considerations necessitate comprehensive organisational reconfiguration "
        "immediately thereafter notwithstanding."
    )
    assert grade(talk(hard), "style").grade == 3
    assert (
        grade(
            talk("u:no", "s:I like the the film Heat.", "u:no", "s:I like the the film Heat."), "fluency"
        ).grade
        == 2
    )
    assert "not judged" in grade(talk("s:Hello."), "fluency").why


def test_reading_ease_of_a_known_sentence():
    assert reading_ease("The cat sat on the mat") == pytest.approx(206.835 - 1.015 * 6 - 84.6)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Thanks, sounds great", 1),
        ("that's not what I want", 0),
        ("No, I haven't seen it", 0.5),
        ("Who is in it?", 0.5),
        ("wrong, thanks", 0.5),
    ],
)
def test_reactions(text, expected):
    assert reaction(text) == expected


def test_asking_again_repeats_and_stutters():
    turns = [
        said("user", "a film about the second world war"),
        said("user", "something about world war films"),
    ]
    assert repeats_request(turns[1], turns[:1]) and not repeats_request(turns[0], ())
    assert repeats_by_turn(talk("s:Try Heat! Well?", "u:no", "s:try heat (1995)", "s:Well?").turns) == [
        False,
        True,
        False,
    ]
    asks = (
        said("system", "Which year?", "ELICIT", slots=("year",)),
        said("system", "What year?", "ELICIT", slots=("year",)),
    )
    assert repeats_by_turn(asks) == [False, True]
    assert seems_to_name("How about Heat?") and not seems_to_name("(1999) I do. So do I. Or 1999?")
    assert (
        has_doubled_word("I like The the film")
        and not has_doubled_word("1 1 and then")
        and not has_doubled_word("that thatch")
    )


def test_padding_never_raises_a_grade():
    talks = [
        judged_dialogue(held()),
        talk("u:a drama", "s:try heat, heat", "u:no", "s:try heat, heat"),
        talk("u:a drama", "s:1: Heat\n2: Ran", "u:thanks", end="satisfied"),
        talk("s:Notwithstanding institutional considerations necessitate comprehensive reconfiguration"),
    ]
    for one in talks:
        for aspect in ASPECTS:
            assert grade(pad_dialogue(one), aspect).grade <= grade(one, aspect).grade


WORDS = (
    "the The a heat ran drama film 1990 wrong thanks again again not I notwithstanding "
    "institutionalisation ok . ? 1: 2:"
).split()
ACTS = (
    "",
    "GREET",
    "ELICIT",
    "RECOMMEND",
    "INFORM",
    "BYE",
    "DISLIKE",
    "INQUIRE",
    "ACCEPT",
    "X-OF-ANOTHER-SCHEME",
)


def any_talk(n):
    """A talk of no sense, drawn by number."""
    draw = Draw(5, "talk", agent=n)

    def pick(options, item):
        return options[draw.below(len(options), item=item)]

    turns = []
    for t in range(draw.below(7, item="turns")):
        text = " ".join(pick(WORDS, f"{t} {w}") for w in range(draw.below(30, item=f"length {t}")))
        act = pick(ACTS, f"act {t}")
        turns.append(
            said(
                pick(("user", "system"), f"who {t}"),
                text,
                *([act] if act else []),
                slots=("genre",) if act == "ELICIT" else (),
            )
        )
    shown = [
        JudgedItem(1 + t, "Heat", (("genre", "drama"),), pick((None, 0.0, 0.7, 1.0), f"worth {t}"))
        for t in range(len(turns) // 2)
    ]
    return JudgedDialogue(
        tuple(turns), tuple(shown), None, pick(("", "satisfied", "gave-up", "turn-limit"), "end")
    )


def test_whatever_is_said_grades_stay_in_bounds_and_padding_raises_none():
    for n in range(300):
        one = any_talk(n)
        for aspect in ASPECTS:
            found = grade(one, aspect)
            assert 1 <= found.grade <= 5
            assert grade(pad_dialogue(one), aspect).grade <= found.grade + 1e-9, (n, aspect)
            assert 1 <= judge_question(one, aspect).offline(Draw(0, "x")).grade <= 5


PADDING = (
    "It is a film.",
    "It is a film too. A good film.",
    "Good film.",
    "So I think, and I hope so (2003).",
    "(1999)",
)


def closed(text):
    """Whether what follows begins a sentence of its own."""
    return not text or text[-1] in ".?!"


def wordier(one, n, acts=()):
    """The talk with words, different each time, added to turns of the system, and acts that say nothing."""
    draw = Draw(6, "padding", agent=n)

    def more(turn, t):
        if turn.speaker == "user" or draw.uniform(item=t) < 0.3:
            return turn
        pads = [PADDING[draw.below(len(PADDING), item=t, step=k)] for k in (0, 1)]
        text = f"{pads[0]}\n{turn.text}{' ' if closed(turn.text) else chr(10)}{pads[1]}"
        return build_utterance("system", text, (*turn.acts, *map(build_act, acts)) if turn.acts else ())

    return replace(one, turns=tuple(more(turn, t) for t, turn in enumerate(one.turns)))


def courteous(one, n):
    """The talk with turns of the system that bring nothing, next to its own and after the last."""
    draw = Draw(7, "courtesy", agent=n)
    turns = []
    for t, turn in enumerate(one.turns):
        turns.append(turn)
        if turn.speaker == "system" and draw.uniform(item=t) < 0.4:
            turns.append(
                said("system", PADDING[draw.below(4, item=t)], *(["ACKNOWLEDGE"] if turn.acts else []))
            )
    known = any(turn.acts for turn in one.turns)
    return replace(
        one,
        turns=(
            *turns,
            *(said("system", text, *(["BYE"] if known else [])) for text in ("Bye.", "So long.")),
        ),
    )


def renamed(one):
    """The talk with each item recommended twice more."""
    return replace(one, shown=one.shown + one.shown[:1] * 2 + one.shown)


def reviewed():
    """A dialogue that goes badly, with acts and as people's would be told."""
    turns = (
        said("system", "Hello! What genre?", "GREET", "ELICIT", slots=("genre",)),
        said("user", "Who directed it?", "INQUIRE"),
        said("system", "How about Heat?", "RECOMMEND"),
        said("user", "What year is it?", "INQUIRE"),
        said("system", "Try Ran.", "RECOMMEND"),
        said("user", "I give up.", "GIVE_UP"),
    )
    base = JudgedDialogue(
        turns, (JudgedItem(3, "Heat", (), 1.0), JudgedItem(5, "Ran", (), 0.2)), None, "gave-up"
    )
    bare = JudgedDialogue(tuple(build_utterance(turn.speaker, turn.text) for turn in turns))
    return base, bare


def test_words_acts_and_turns_that_bring_nothing_raise_no_grade():
    for n, one in enumerate(
        (
            *reviewed(),
            talk("s:What do you like?", "u:Drama.", "s:I see.", "u:Well?"),
            *map(any_talk, range(100)),
        )
    ):
        if not any(turn.speaker == "system" for turn in one.turns):
            continue
        padded_ways = {
            "words": wordier(one, n),
            "acts": wordier(one, n, ("INFORM", "ACKNOWLEDGE", "BYE")),
            "courtesy": courteous(one, n),
            "again": renamed(one),
            "years": replace(
                one,
                turns=tuple(
                    t.model_copy(update={"text": t.text + " (1999)"}) if t.speaker == "system" else t
                    for t in one.turns
                ),
            ),
        }
        for aspect in ASPECTS:
            before = grade(one, aspect).grade
            for way, changed in padded_ways.items():
                assert grade(changed, aspect).grade <= before + 1e-9, (n, aspect, way)


def test_the_order_probe_turns_the_scale_alone():
    one, other = (
        judge_question(judged_dialogue(held()), "flow"),
        probe_question(judged_dialogue(held()), "order", "flow"),
    )
    assert one.prompt() != other.prompt() and sorted(one.prompt()) == sorted(other.prompt())
    assert one.offline(Draw(0, "x")) == other.offline(Draw(0, "x"))


def test_repeats_and_probes_are_noted_for_the_first_needs_of_each_pair():
    agent = SimpleNamespace(id="u1", persona=SimpleNamespace(traits={}))
    all_held = [(agent, held(n, system)) for system in ("a", "b") for n in (1, 0, 2)]
    room = Room()
    asyncio.run(judge_dialogues(room, all_held, DialogueJudgeSpec(dialogues=2, repeats=2, probes=True)))
    noted = [action for _, action in room.noted]
    assert {(j.system, j.number) for j in noted} == {("a", 0), ("a", 1), ("b", 0), ("b", 1)}
    assert len(noted) == 4 * len(ASPECTS) * (2 + len(PROBES))
    assert {j.probe for j in noted} == {"", *PROBES} and {who for who, _ in room.asked} == {"judge"}
    assert all(actor is agent for actor, _ in room.noted)


def test_one_question_for_all_aspects_gives_the_grades_that_each_gets_alone():
    noted = {}
    for together in (False, True):
        room = Room()
        spec = DialogueJudgeSpec(dialogues=12, repeats=2, probes=True, together=together)
        asyncio.run(
            judge_dialogues(room, [(None, held(n, system)) for n in range(12) for system in ("a", "b")], spec)
        )
        noted[together] = {tuple(one.model_dump().items()) for _, one in room.noted}
        questions = [question for _, question in room.asked]
        assert len(questions) == 24 * (2 + len(PROBES)) * (1 if together else len(ASPECTS))
    assert noted[True] == noted[False]
    orders = [question.aspects for question in questions]
    assert {one[0] for one in orders} == set(ASPECTS), "each comes first somewhere"
    assert (
        orders[0] == orders[2] != orders[1]
        and orders[: len(orders) // 24] == orders[len(orders) // 24 : len(orders) // 12]
    )


def test_a_grade_of_several_is_of_the_aspect_at_its_number():
    question = judge_question(judged_dialogue(held(), person="Tires soon."), "flow", "relevance")
    reply = DialogueGrades(
        grades=(
            {"number": 2, "what_you_see": "b", "grade": 1},
            {"number": 1, "what_you_see": "a", "grade": 5},
        )
    )
    question.check(reply)
    assert {aspect: one.grade for aspect, one in question.by_aspect(reply).items()} == {
        "relevance": 1,
        "flow": 5,
    }
    assert "Tires soon." not in question.prompt()
    with pytest.raises(UnusableAnswer, match="each number from 1 to 2"):
        question.check(DialogueGrades(grades=(reply.grades[0], reply.grades[0])))


def test_halo_is_how_the_grades_of_one_aspect_go_with_those_of_the_others():
    def of(**grades):
        said = [
            DialogueJudged(number=n, simulator="agenda", system="a", aspect=aspect, score=score).model_dump()
            for aspect, given in grades.items()
            for n, score in enumerate(given)
        ]
        return halo(SimpleNamespace(events=lambda kind: [SimpleNamespace(payload=one) for one in said]))

    assert of(flow=(1, 2, 4, 5), style=(2, 3, 4, 5)) == pytest.approx({"flow": 1, "style": 1})
    assert of(flow=(1, 1, 5, 5), style=(1, 5, 1, 5)) == pytest.approx({"flow": 0, "style": 0})
    assert of(flow=(1, 2, 3, 4), style=(1, 2, 3, 4), fluency=(4, 3, 2, 1)) == pytest.approx(
        {"flow": 0, "style": 0, "fluency": -1}
    )
    missing = of(flow=(1, 2, 3, None), style=(3, 3, 3, 5), fluency=(2, 4, 5, 1))
    assert missing["flow"] == missing["fluency"] == pytest.approx(1) and math.isnan(missing["style"])
    assert all(math.isnan(value) for value in of(flow=(1, 2), style=(1, 2)).values())


def test_an_unusable_answer_is_missing_and_no_grade():
    room = Room(answer=lambda n, q: None if n == 1 else q.offline(Draw(0, "x")))
    asyncio.run(judge_dialogues(room, [(None, held())], DialogueJudgeSpec(dialogues=1)))
    scores = [action.score for _, action in room.noted]
    assert scores[1] is None and all(scores[:1] + scores[2:])
    assert DialogueJudged.model_validate(room.noted[1][1].model_dump()).score is None


def test_failed_dialogues_are_not_judged():
    room = Room()
    all_held = [(None, held(1, end="system-error")), (None, held(0)), (None, held(2))]
    asyncio.run(judge_dialogues(room, all_held, DialogueJudgeSpec(dialogues=2)))
    assert {judged.number for _, judged in room.noted} == {0}
