import pytest

from openiir.core.world import search_refusal

QUERY = "offshore turbine maintenance cost"
GOOD = (
    "The corpus holds no figures on the maintenance cost of offshore turbines after ten years; "
    "a number would decide whether the subsidy pays."
)


@pytest.mark.parametrize(
    "justification",
    [
        GOOD,
        "Local sources do not say how many birds offshore turbines kill per year, and a count would settle "
        "the dispute about protected species.",
        "Claim k007 rests on one article from 2009; newer measurements of capacity factors could overturn "
        "its estimate.",
        "It is unclear what share of household income goes to heating in rural Scotland; the panel weighs "
        "fairness by it.",
        "I need recent figures about recycling of turbine blades, because the articles only discuss their "
        "installation and first decade of service.",
        "The panel disagrees on compensation; we should determine whether neighbours of wind farms receive "
        "payments.",
    ],
)
def test_a_search_that_names_what_is_missing_may_go_ahead(justification):
    assert search_refusal(QUERY, justification, {"k007"}) is None


def test_an_empty_query_is_refused_first():
    assert "query is empty" in search_refusal(" the of ", GOOD)


@pytest.mark.parametrize("justification", ["", "  \n"])
def test_a_search_without_justification_is_refused(justification):
    assert "no justification" in search_refusal(QUERY, justification, {"k001"})


@pytest.mark.parametrize(
    "justification",
    [
        "No figures on turbine cost.",
        "k007 lacks evidence",
        "missing missing missing missing missing missing missing missing missing",
        "it is not that we would have the will of the other to be as it was before and after that",
    ],
)
def test_under_eight_different_content_words_it_is_refused(justification):
    assert "at least 8" in search_refusal(QUERY, justification, {"k007"})


def test_it_must_name_a_missing_fact():
    talk = "Wind power is a wonderful topic and everybody on this panel enjoys discussing turbines and hills."
    assert "names no missing fact" in search_refusal(QUERY, talk)
    assert "names no missing fact" in search_refusal(QUERY, f"k999: {talk}", {"k001"})
    assert search_refusal(QUERY, f"k001: {talk}", {"k001"}) is None


@pytest.mark.parametrize(
    "talk",
    [
        "Searching the web could be interesting, exciting and quite useful for everybody sitting here on "
        "this panel today.",
        "Please search because searching gives results, results give insight, insight gives wisdom, wisdom "
        "gives joy.",
        "Offshore turbines, maintenance vessels, harbour cranes, insurance premiums, weather windows, spare "
        "parts, crews.",
    ],
)
def test_talk_is_no_missing_fact(talk):
    assert "names no missing fact" in search_refusal(QUERY, talk)


def test_an_id_counts_only_as_a_word_of_its_own():
    talk = (
        "The k0011 model of wind power delights everybody on this panel discussing turbines, hills and seas."
    )
    assert search_refusal(QUERY, talk, {"k001"}) is not None


def test_saying_that_something_is_missing_is_not_saying_what():
    empty = (
        "Information is missing from the corpus, and the local sources lack relevant facts, so a search of "
        "the web could help find useful documents or articles on the topic in question."
    )
    assert "but not what" in search_refusal(QUERY, empty)
