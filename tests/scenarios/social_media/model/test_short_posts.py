"""Short posts stand on their author's side, answer what they comment on, and quote plain sentences alone."""

from dataclasses import replace
from itertools import combinations

import pytest

from openiir.plugin import STANCES, Draw, stance_number
from openiir.plugin.arguments import CLAIM_THRESHOLD, claimhood, sentences
from openiir.scenarios.social_media.model.post_wordings import ASKS, STANDS, WORDINGS
from openiir.scenarios.social_media.model.short_posts import (
    PostContext,
    classify_side,
    compose_post,
    word_stance,
)

STATEMENT = "Cities should adopt a four-day week"
PRO = "A four-day week improves the sleep of employees and reduces burnout."
CON = "A four-day week harms residents and raises the cost of public services."
OPEN = "City offices serve people who cannot choose another provider."
AUTHORS = [Draw(1, "compose", f"author-{n}", step=n) for n in range(40)]
FAVOUR = PostContext(STATEMENT, "public services", 0.6, (f"{PRO} {CON} {OPEN}",))


def side(number: float) -> int:
    return (number > 0.15) - (number < -0.15)


def facts_in(texts: list[str]) -> set[str]:
    return {fact for fact in (PRO, CON, OPEN) if any(fact in text for text in texts)}


@pytest.mark.parametrize("word", STANCES)
def test_every_stated_stance_is_read_as_it_was_meant(word: str) -> None:
    stance = stance_number(word)  # type: ignore[arg-type]
    for clause in STANDS[word]:  # type: ignore[index]
        assert classify_side(f"Well, {clause}.", STATEMENT) == side(stance)
    bare = [compose_post(replace(FAVOUR, stance=stance, passages=()), draw) for draw in AUTHORS]
    assert {classify_side(text, STATEMENT) for text in bare} == {side(stance)}


def test_no_clause_is_part_of_one_on_another_side() -> None:
    sides = [(clause, side(stance_number(word))) for word, clauses in STANDS.items() for clause in clauses]
    for (one, here), (other, there) in combinations(sides, 2):
        assert here == there or not (one.lower() in other.lower() or other.lower() in one.lower())


def test_authors_quote_their_side_and_never_the_other() -> None:
    for stance, own, other in ((0.6, PRO, CON), (-0.6, CON, PRO)):
        found = facts_in([compose_post(replace(FAVOUR, stance=stance), draw) for draw in AUTHORS])
        assert own in found and other not in found
    undecided = [compose_post(replace(FAVOUR, stance=0.0), draw) for draw in AUTHORS]
    assert facts_in(undecided) == {PRO, CON, OPEN}


def test_a_fact_on_no_side_is_not_given_as_a_reason() -> None:
    texts = [compose_post(replace(FAVOUR, passages=(OPEN,)), draw) for draw in AUTHORS]
    assert facts_in(texts) == {OPEN}
    assert not any(f"{OPEN} So " in text or f"{OPEN} Reason enough" in text for text in texts)
    reasons = [compose_post(replace(FAVOUR, passages=(PRO,)), draw) for draw in AUTHORS]
    assert any(f"{PRO} So " in text for text in reasons)


def test_different_authors_take_different_sentences() -> None:
    more = "A four-day week supports families and improves the health of children."
    texts = [compose_post(replace(FAVOUR, passages=(f"{PRO} {more}",)), draw) for draw in AUTHORS]
    shares = [sum(fact in text for text in texts) for fact in (PRO, more)]
    assert min(shares) >= 5


def test_nothing_is_quoted_twice_by_an_author_or_after_others() -> None:
    for known in ({"written": (f"So I say yes. {PRO}",)}, {"known": (f'Jo Lang wrote: "{PRO}"',)}):
        assert PRO not in " ".join(compose_post(replace(FAVOUR, **known), draw) for draw in AUTHORS)


@pytest.mark.parametrize(
    "unfit",
    [
        "However, he said that a four-day week improves the health of cities.",
        "We believe that a four-day week improves the health of cities.",
        "This four-day week improves the health of employees in cities.",
        'A four-day week improves the "health of employees in cities.',
        "A four-day week (in cities improves the health of employees.",
        "Smith et al. show that a four-day week improves the health of employees.",
        "Subscribe to the newsletter on the four-day week in healthy cities.",
        "Four-day week, see https://example.org/week for benefits in cities.",
        "Four-Day Week Improves Health Of Employees In Cities.",
        "A four-day week improved by 3, 4, 5 and 6 points in cities.",
        "A four-day week improves the health of " + "employees and " * 30 + "cities.",
        "Four-day week good.",
    ],
)
def test_bad_material_is_never_quoted(unfit: str) -> None:
    texts = [
        compose_post(replace(FAVOUR, stance=stance, passages=(unfit,)), draw)
        for stance in (0.6, 0.0)
        for draw in AUTHORS
    ]
    assert not any(unfit[10:40] in text for text in texts)


def test_a_citation_mark_is_dropped_and_a_long_end_is_cut() -> None:
    marked = "A four-day week improves the sleep of employees [12] and reduces burnout."
    long = f"{PRO[:-1]} among nurses and night workers on wards, which tried it with all of their employees."
    for passage, quoted in ((marked, PRO), (long, f"{PRO[:-1]} among nurses and night workers on wards.")):
        texts = [compose_post(replace(FAVOUR, passages=(passage,)), draw) for draw in AUTHORS]
        assert any(quoted in text for text in texts) and not any("[12]" in text for text in texts)


@pytest.mark.parametrize(
    ("stance", "answered", "openings"),
    [
        (0.6, "I am for it.", "agree"),
        (0.6, f"{CON} So I say no.", "differ"),
        (-0.6, f"{PRO} That is why I say yes.", "differ"),
        (0.0, f"{PRO} I say yes.", "wonder"),
        (0.6, "What do you think? I can see both sides.", "answer"),
    ],
)
def test_a_comment_takes_up_what_it_answers(stance: float, answered: str, openings: str) -> None:
    heads = [one.split("{")[0] for kind in (openings, f"{openings} bare") for one in WORDINGS[kind]]
    for draw in AUTHORS:
        text = compose_post(replace(FAVOUR, stance=stance, answered=answered, to="Jo Lang"), draw)
        assert any(text.startswith(head) for head in heads) and "Lang" not in text


def test_a_counter_fact_bears_on_the_claim_that_it_answers() -> None:
    answered = (
        "Public services get cheaper with a four-day week, because offices need less heating. I say yes."
    )
    near = "A four-day week raises the cost of heating in offices and harms services."
    far = "Long days exhaust nurses of hospitals with a four-day week, and harm patients."
    context = replace(FAVOUR, stance=-0.6, answered=answered, passages=(f"{near} {far}",))
    texts = [compose_post(context, draw) for draw in AUTHORS]
    assert any(near in text for text in texts) and not any(far in text for text in texts)


def test_only_somebody_who_wrote_about_the_topic_is_said_to_have() -> None:
    known = (
        'Jo Lang wrote: "For me it comes down to public services, and I say no."',
        'Al Berg wrote: "I say yes."',
    )
    texts = [compose_post(replace(FAVOUR, passages=(), known=known), draw) for draw in AUTHORS]
    assert any("Jo" in text for text in texts) and not any("Al" in text.split() for text in texts)


def test_posts_of_the_crowd_vary_and_stay_on_their_side() -> None:
    for word in STANCES:
        texts = [word_stance("wages", stance_number(word), STATEMENT, n) for n in range(60)]
        assert len(set(texts)) >= 20
        assert {classify_side(text, STATEMENT) for text in texts} == {side(stance_number(word))}


def test_no_wording_is_taken_for_a_claim() -> None:
    blanks = {"matter": "bread", "claimed": "bread", "topic": "bread", "name": "Jo", "to": ", Jo"}
    for stand in (clause for clauses in STANDS.values() for clause in clauses):
        for ask, wording in ((ask, one) for ask in ASKS for ones in WORDINGS.values() for one in ones):
            filled = wording.format(
                **blanks,
                fact="Bread.",
                ask=ask.format(statement=STATEMENT),
                stand=stand,
                Stand=stand.capitalize(),
            )
            claims = [filled[a:b] for a, b in sentences(filled) if claimhood(filled[a:b]) >= CLAIM_THRESHOLD]
            assert not claims, (wording, claims)


def test_strange_input_is_written_about_all_the_same() -> None:
    for statement in ("Is it right?", "Cities should not grow!", "???  "):
        for answered in ("", "…", "   ", "?"):
            context = PostContext(statement, "the sea", 0.4, ("", ".", "[REF]"), answered=answered, to="x")
            assert compose_post(context, AUTHORS[0])
