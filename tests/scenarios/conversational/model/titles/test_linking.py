"""Titles in what people say."""

import csv
import os
from hashlib import sha256
from pathlib import Path

import pytest

from openiir.kit.items import Collection
from openiir.scenarios.conversational.model.titles.linking import Linker
from openiir.scenarios.conversational.model.titles.title_index import key, read_title

FILMS = (
    "Matrix, The (1999)",
    "It (1927)",
    "It (2017)",
    "Up (2009)",
    "Frozen (2013)",
    "Joker (2019)",
    "Crouching Tiger, Hidden Dragon (2000)",
    "Schindler's List (1993)",
    "Star Wars: Episode IV - A New Hope (1977)",
    "Seven (a.k.a. Se7en) (1995)",
    "Saw (2004)",
    "Her (2013)",
    "Emma (1996)",
    "Avengers, The (2012)",
    "Avengers: Endgame (2019)",
    "Dumb & Dumber (1994)",
    "Yes (2004)",
    "Bad Boys (1995)",
)


@pytest.fixture(scope="module")
def linker():
    return Linker(Collection("movie", tuple(map(str, range(len(FILMS)))), FILMS))


def linked(linker, text, known=()):
    return [(mention.text, [FILMS[item] for item in mention.items]) for mention in linker.link(text, known)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I loved The Matrix.", [("The Matrix", ["Matrix, The (1999)"])]),
        ('have you seen "It"?', [("It", ["It (1927)", "It (2017)"])]),
        ("Have you seen the movie It (2017)?", [("It", ["It (2017)"])]),
        ("I saw the film Up from 2009", [("Up", ["Up (2009)"])]),
        ('Have you seen "It" from 2017?', [("It", ["It (2017)"])]),
        ("it is up to her, yes", []),
        ("I saw it with her, and joker was up to it", [("joker", ["Joker (2019)"])]),
        ("Yes, I saw that.", []),
        (
            "Have you watched Crouching tiger hidden dragon?",
            [("Crouching tiger hidden dragon", ["Crouching Tiger, Hidden Dragon (2000)"])],
        ),
        (
            "I watched Schindlers List and Dumb and Dumber",
            [("Schindlers List", ["Schindler's List (1993)"]), ("Dumb and Dumber", ["Dumb & Dumber (1994)"])],
        ),
        ("I love the Star Wars movies", [("the Star Wars", ["Star Wars: Episode IV - A New Hope (1977)"])]),
        ("Avengers End Game was great", [("Avengers End Game", ["Avengers: Endgame (2019)"])]),
        ("A film with Emma Stone", []),
        ("I saw Bad Boys for Life", []),
        (
            "I like movies such as Joker, and Frozen.",
            [("Joker", ["Joker (2019)"]), ("Frozen", ["Frozen (2013)"])],
        ),
        ("", []),
        ("?!", []),
    ],
)
def test_titles_are_told_from_words(linker, text, found):
    assert linked(linker, text) == found


def test_spaces_tell_names_of_the_same_letters_apart():
    linker = Linker(
        Collection("movie", ("a", "b", "c"), ("Stage Fright (1950)", "StageFright (1987)", "I.T. (2016)"))
    )
    found = [
        [mention.items for mention in linker.link(f"Have you seen {title}?")]
        for title in ("Stage Fright", "Stagefright", "I.T.", "it")
    ]
    assert found == [[(0,)], [(1,)], [(2,)], []]


def test_a_name_whose_spaces_stand_elsewhere_is_recognised_from_seven_letters_on():
    linker = Linker(
        Collection("movie", ("a", "b", "c"), ("Top Gun (1986)", "Top Guns (2001)", "Thesaurus (1999)"))
    )
    spans = {
        text: [span.name.key for span in linker.spans(text)]
        for text in ("topgun", "topguns", "top gun", "the saurus")
    }
    assert spans == {
        "topgun": [],
        "topguns": ["top guns"],
        "top gun": ["top gun"],
        "the saurus": ["thesaurus"],
    }


def test_a_possessive_names_what_it_is_of(linker):
    names = {
        text: [span.name.key for span in linker.spans(text)]
        for text in ("Joker's end", "Joker’s end", "jokers end", "Joker'd end")
    }
    assert names == {"Joker's end": ["joker"], "Joker’s end": ["joker"], "jokers end": [], "Joker'd end": []}


def test_what_stands_before_a_colon_is_a_name_from_four_letters_on():
    linker = Linker(
        Collection("movie", ("a", "b"), ("Saw: The Final Chapter (2010)", "Dune: Part Two (2024)"))
    )
    assert [[m.items for m in linker.link(f'I saw the movie "{title}"')] for title in ("Saw", "Dune")] == [
        [],
        [(1,)],
    ]


def test_a_title_lends_its_weight_to_three_before_it_in_a_list_and_to_all_that_follow():
    weak = ("cedar road", "elm house", "silent river", "walnut street", "copper bridge")
    linker = Linker(Collection("movie", tuple(map(str, range(6))), (*weak, "Schindler's List")))
    listed, sure = ", ".join(weak), '"Schindler\'s List"'
    assert linker.link(f"In London there were {listed}") == ()
    assert [mention.title for mention in linker.link(f"there were {listed}, {sure}")] == [
        *weak[2:],
        "schindlers list",
    ]
    assert [mention.title for mention in linker.link(f"there was {sure}, {listed}")] == [
        "schindlers list",
        *weak,
    ]


def test_what_was_named_before_is_likelier(linker):
    text = "joker is good"
    before = {span.name.key: None for span in linker.spans(text)}
    assert list(before) == ["joker"]
    scores = [
        [
            mention.score
            for mention in Linker(linker.titles.collection, linker.titles, least=0).link(text, known)
        ]
        for known in ((), (5,))
    ]
    assert scores[0][0] < scores[1][0] < 1


def test_mentions_stand_in_order_and_apart(linker):
    text = "Frozen, The Matrix, Avengers: Endgame (2019), Joker. I saw Star Wars, it was good. " * 3
    mentions = linker.link(text)
    assert len(mentions) == 15
    for one, other in zip(mentions, mentions[1:], strict=False):
        assert one.end <= other.start
    assert all(text[m.start : m.end] == m.text and 0.25 < m.score <= 1 for m in mentions)


def test_every_title_quoted_is_found(linker):
    for item, film in enumerate(FILMS):
        (mention,) = linker.link(f'Have you seen the movie "{read_title(film).names[0]}"?')
        assert item in mention.items


def test_odd_texts_do_no_harm(linker):
    for text in ("\x00\x07 It \ud83d", "a" * 50_000, "It " * 5_000, "İstanbul ﬁlm ß", "'s", "& & &"):
        linker.link(text)


def test_nothing_is_named_in_an_empty_collection():
    assert Linker(Collection("item", (), ())).link("It is The Matrix") == ()


class TestInspired:
    """Floors a little below what `benchmarks/entity_linking.py` prints."""

    @pytest.fixture(scope="class")
    def data(self):
        folder = Path(os.environ.get("OPENIIR_DATA", "")) / "crs"
        if "OPENIIR_DATA" not in os.environ or not (folder / "inspired" / "test.tsv").is_file():
            pytest.skip("OPENIIR_DATA is not set or has no crs/inspired: INSPIRED is not at hand")
        return folder

    def test_precision_and_recall(self, data):
        with (data / "items" / "ml25m_movies_w_keywords.csv").open(encoding="utf-8", newline="") as file:
            films = list(csv.DictReader(file))
        linker = Linker(
            Collection(
                "movie", tuple(film["movieId"] for film in films), tuple(film["title"] for film in films)
            )
        )
        read = Path(__file__).parents[5] / "benchmarks" / "entity_linking_read.csv"
        with read.open(encoding="utf-8", newline="") as file:
            verdicts = {row["mark"]: row["named"] == "1" for row in csv.DictReader(file)}
        names = set(linker.names.keys.values())
        right, linked, wanted, by_column, marked_in = 0, 0, 0, 0, 0
        known: dict[str, set[int]] = {}
        with (data / "inspired" / "test.tsv").open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                place = f"{row['dialog_id']}\t{row['utt_id']}\t"
                marked = {
                    key(read_title(title.strip()).names[0])
                    for title in row["movies"].split(";")
                    if title.strip()
                }
                mentions = linker.link(
                    row["text"].replace("QUOTATION_MARK", '"'), known.setdefault(row["dialog_id"], set())
                )
                known[row["dialog_id"]].update(item for mention in mentions for item in mention.items)
                found = {mention.title for mention in mentions}
                read_as = {
                    title: verdicts.get(sha256(f"{place}{title}".encode()).hexdigest()[:16])
                    for title in marked | found
                }
                named = {
                    title
                    for title, verdict in read_as.items()
                    if verdict or (verdict is None and title in marked)
                }
                right, linked, wanted = (
                    right + len(found & named),
                    linked + len(found),
                    wanted + len(named & names),
                )
                by_column, marked_in = by_column + len(found & marked), marked_in + len(marked & names)
        assert right / linked > 0.91
        assert by_column / linked > 0.63 and by_column / marked_in > 0.69
