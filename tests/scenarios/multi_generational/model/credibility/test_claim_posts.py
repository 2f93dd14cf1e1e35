"""Posts hold their claim, show their author's habits, and cite what was read."""

import re
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.stats import spearmanr

from openiir.plugin import Draw
from openiir.scenarios.multi_generational.model.credibility.claim_posts import (
    BEARS_OUT,
    FORMS,
    MOST,
    PostOrder,
    ReadPassage,
    write_claim_post,
)
from openiir.scenarios.multi_generational.model.credibility.corpus import split_sentences
from openiir.scenarios.multi_generational.model.credibility.pairs import LONGEST
from openiir.scenarios.multi_generational.model.credibility.text_cues import CUES, measure_cues

TRUE = "Beeswax candles burn longer than tallow candles of one size. The wax melts at a higher heat."
FALSE = "Tallow candles burn longer than beeswax candles of one size. The fat melts at a higher heat."
FIGURES = (
    ReadPassage(
        "Beeswax candles of 12 grams burn longer than tallow candles. Beeswax melts at 63 degrees of heat.",
        "candles",
    ),
    ReadPassage(
        "Tallow candles burn with soot. A tallow candle of 20 grams lasts four hours of a winter night.",
        "tallow",
    ),
)
WORDS = (
    ReadPassage(
        "Beeswax candles burn longer than tallow candles. Beeswax melts at a higher heat.", "candles"
    ),
)
POSTED = (
    ReadPassage("Tallow candles burn longer than beeswax candles, my friend told me.", "a post by Ada"),
)
ORDER = PostOrder(
    claim=TRUE,
    form="fact",
    cues=(0.5,) * 6,
    boldness=0.5,
    expertise="a nurse",
    found=FIGURES,
    support=(0.4, 0.1),
)
DRAWS = [Draw(seed, "posts", item="pair") for seed in range(60)]


def vary_orders() -> list[PostOrder]:
    passages = (((), ()), (FIGURES, (0.4, 0.1)), (WORDS, (0.1,)), (POSTED, (-0.3,)))
    sets = product(FORMS, (TRUE, FALSE), (0.0, 1.0), ("a nurse", "nobody in particular"), passages)
    return [
        replace(
            ORDER,
            claim=claim,
            form=form,
            cues=(level,) * 6,
            boldness=level,
            expertise=expertise,
            found=read[0],
            support=read[1],
        )
        for form, claim, level, expertise, read in sets
    ]


@pytest.mark.parametrize("cue", CUES)
def test_a_cue_rises_with_the_authors_habit(cue: str) -> None:
    at = CUES.index(cue)
    levels = [n / 4 for n in range(5) for _ in DRAWS]
    texts = []
    for level in range(5):
        cues = tuple(level / 4 if n == at else 0.0 for n in range(6))
        texts += [write_claim_post(replace(ORDER, cues=cues, boldness=1.0), draw).text for draw in DRAWS]
    assert spearmanr(levels, measure_cues(texts)[:, at]).statistic > 0.5


def test_numbers_are_told_only_where_passages_have_figures() -> None:
    only = tuple(float(cue == "numbers") for cue in CUES)
    for passages, told in ((FIGURES, True), (WORDS, False), ((), False)):
        order = replace(ORDER, cues=only, boldness=1.0, found=passages, support=(0.4,) * len(passages))
        posts = [write_claim_post(order, draw).text for draw in DRAWS]
        assert {any(one.isdigit() for one in post) for post in posts} == {told}


@pytest.mark.parametrize("order", vary_orders())
def test_a_post_holds_its_claim_whole_and_once(order: PostOrder) -> None:
    for draw in DRAWS[:12]:
        text, cites = write_claim_post(order, draw)
        assert len(text) <= MOST and not re.search(r"[{}]|None|  ", text)
        assert text[-1] in '.!?"”' and text == text.strip()
        sentences = split_sentences(text)
        assert all(text.count(one) == 1 for one in split_sentences(order.claim))
        assert len(set(sentences)) == len(sentences)
        assert len(set(cites)) == len(cites) and set(cites) <= set(range(len(order.found)))
        assert write_claim_post(order, draw) == (text, cites)


def test_a_long_claim_is_not_broken_and_crowds_out_habits() -> None:
    claim = " ".join(
        f"The {n}th mill of the valley had a wheel of oak and a pond behind a dam of clay."
        for n in (4, 5, 6, 7)
    )
    for form in FORMS:
        text, _ = write_claim_post(
            replace(ORDER, claim=claim, form=form, cues=(1.0,) * 6, boldness=1.0), DRAWS[0]
        )
        assert len(text) <= MOST and all(one in text for one in split_sentences(claim))


def test_timid_authors_cite_only_what_bears_them_out() -> None:
    cues = (1.0,) * 6
    order = replace(ORDER, cues=cues, boldness=0.0, support=(BEARS_OUT - 0.01, BEARS_OUT))
    timid = [write_claim_post(order, draw) for draw in DRAWS]
    assert {one for post in timid for one in post.cites} == {1}
    unsupported = replace(order, support=(BEARS_OUT - 0.01, -1.0))
    assert not any(write_claim_post(unsupported, draw).cites for draw in DRAWS)
    bold = [write_claim_post(replace(unsupported, boldness=1.0), draw) for draw in DRAWS]
    assert all(post.cites for post in bold)


def test_habits_do_not_tell_the_versions_of_a_pair_apart() -> None:
    """With nothing read, all but the claim's own sentences are the same."""
    for form, draw in product(FORMS, DRAWS):
        order = replace(ORDER, form=form, found=(), support=())
        rest = []
        for claim in (TRUE, FALSE):
            text = write_claim_post(replace(order, claim=claim), draw).text
            for sentence in split_sentences(claim):
                text = text.replace(sentence, "*")
            rest.append(text)
        assert rest[0] == rest[1]


def test_every_pair_has_draws_of_its_own() -> None:
    texts = {write_claim_post(ORDER, Draw(1, "posts", item=f"pair {n}")).text for n in range(40)}
    assert len(texts) > 20


def test_a_post_is_cited_as_one() -> None:
    cues = tuple(float(cue == "citation") for cue in CUES)
    order = replace(ORDER, claim=FALSE, cues=cues, boldness=1.0, found=POSTED, support=(0.5,))
    for draw in DRAWS:
        text = write_claim_post(order, draw).text
        assert "a post by Ada" in text and "page on" not in text


def test_a_page_known_by_its_address_is_named_by_its_site() -> None:
    (passage,) = WORDS
    web = passage._replace(source="https://www.example.org/a/b.html?c=1")
    texts = {
        write_claim_post(replace(ORDER, form=form, cues=(1.0,) * 6, found=(web,), support=(1.0,)), draw).text
        for form in FORMS
        for draw in DRAWS
    }
    assert any("a page of example.org" in one for one in texts) and any("about this" in one for one in texts)
    assert not any("://" in one or "page on" in one for one in texts)


def test_who_speaks_is_told_by_those_who_are_somebody() -> None:
    cues = tuple(float(cue == "authority") for cue in CUES)
    told = [
        write_claim_post(replace(ORDER, cues=cues, expertise=who), draw).text
        for who in ("a nurse", "nobody in particular")
        for draw in DRAWS
    ]
    share = np.array(["nurse" in one for one in told[: len(DRAWS)]]).mean()
    assert 0.5 < share < 1 and not any("nobody in particular" in one for one in told)


def test_the_claim_is_not_quoted_as_its_own_evidence():
    claim = "Fresh water from the lake fills the locks."
    passages = [ReadPassage(f"Ever wondered? {claim} Tell your family today.", "a post by Ida Storm")]
    order = replace(
        ORDER,
        claim=claim,
        cues=(1.0, 0, 1.0, 0, 0, 0),
        boldness=1.0,
        expertise="a baker",
        found=passages,
        support=(1.0,),
    )
    assert write_claim_post(order, Draw(1, "post")).text.count(claim) == 1


def test_the_longest_claim_fits_a_post() -> None:
    claim = f"One. Two. {'x' * (LONGEST - 11)}."
    for form, draw in product(FORMS, DRAWS):
        text = write_claim_post(replace(ORDER, claim=claim, form=form, cues=(1.0,) * 6), draw).text
        assert len(text) <= MOST and all(one in text for one in split_sentences(claim))


def write_about(passage: str, claim: str = TRUE) -> set[str]:
    order = replace(
        ORDER,
        claim=claim,
        cues=(1.0, 0, 0, 0, 0, 0),
        found=(ReadPassage(passage, "tallow"),),
        support=(1.0,),
    )
    return {write_claim_post(order, draw).text for draw in DRAWS}


@pytest.mark.parametrize("before", ["Tallow candles\n\n", "## Tallow\n", "Home >> Candles\n", "Log in\n", ""])
def test_of_a_page_from_the_web_whole_sentences_are_quoted(before: str) -> None:
    sentence = "Tallow candles burn with a lot of soot and go on\nto smell of approx. two sheep."
    for text in write_about(f"{before}{sentence}\nShare this"):
        told = text.partition(": ")[2]
        assert told in ("", sentence.replace("\n", " "))
    assert any(sentence.replace("\n", " ") in one for one in write_about(f"{before}{sentence}"))


@pytest.mark.parametrize(
    "text",
    [
        "Tallow candles of one size",
        "<p>Tallow candles burn longer than others.</p>",
        "* Tallow candles burn longer [1].",
        "| tallow candles | burn longer than others. |",
        "Tallow candles burn longer since the 25. Juni.",
    ],
)
def test_what_is_no_sentence_is_not_quoted(text: str) -> None:
    assert not any(text[:12] in one.replace(TRUE, "") or ": " in one for one in write_about(text))


@pytest.mark.parametrize(
    ("claim", "written"),
    [
        ("Tallow candles burn long", "Tallow candles burn long."),
        ("TALLOW BURNS!!!", "TALLOW BURNS!!!"),
        ('They say "tallow burns."', 'They say "tallow burns."'),
        ("It lasts approx. 4 h 🕯", "It lasts approx. 4 h 🕯."),
        ("...", "..."),
    ],
)
def test_a_claim_ends_before_the_next_sentence_begins(claim: str, written: str) -> None:
    order = replace(ORDER, claim=claim, form="fact", cues=(0, 0, 0, 1.0, 0, 0))
    assert all(write_claim_post(order, draw).text.startswith(f"{written} ") for draw in DRAWS)
