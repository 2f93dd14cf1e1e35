"""MovieLens, Steam and Amazon-Book in their publishers' forms: in small, and whole where at hand."""

import os
from pathlib import Path

import numpy as np
import pytest

from openiir.kit.items import Enrichment, split
from openiir.kit.items.dataset import with_at_least
from openiir.kit.items.loaders.amazonbook import amazon_book
from openiir.kit.items.loaders.interactions import RowRules
from openiir.kit.items.loaders.movielens import movielens_1m, movielens_100k, movielens_csv
from openiir.kit.items.loaders.steam import stars, steam
from openiir.plugin import InputError

ONE_M = {
    "movies.dat": "1::Léon (1994)::Crime|Drama\n7::Nothing Known::\n9::Rain: II (1999)::Comedy\n",
    "users.dat": "1::F::1::10::48067\n2::M::56::16::70072\n3::M::25::15::55117\n",
    "ratings.dat": "1::9::5::978300760\n1::1::3::978302109\n2::9::4::978301968\n",
}
EXTRA = "1::Leon::1994::R::::Crime::Luc Besson::N/A::Jean Reno, Natalie Portman::A hitman.::http://x/y.jpg\r\n9::Rain::1999::::::::N/A::N/A::N/A::N/A::N/A\r\n"
HUNDRED_K = {
    "u.genre": "unknown|0\nAction|1\nDrama|2\n",
    "u.item": "1|Toy (1995)|01-Jan-1995||http://x|0|1|1\n267|unknown||||1|0|0\n",
    "u.user": "1|24|M|technician|85711\n2|53|F|other|94043\n",
    "u.data": "2\t1\t3\t881250949\n1\t1\t5\t891717742\n",
}
SMALL = {
    "movies.csv": 'movieId,title,genres\n1,"Rain, The (1995)",Comedy|Drama\n4,Odd,(no genres listed)\n',
    "ratings.csv": "userId,movieId,rating,timestamp\n8,4,3.5,1\n7,1,0.5,2\n",
}
STEAM = {
    "item_info.dat": 'Game_ID\tGame Name\n1\tDoom "3"\n2\tSpore\n3\tUnplayed\n',
    "game_play.dat": "User_ID\tGame_ID\tHours\n1\t1\t10.0\n1\t2\t0.5\n4\t1\t1.5\n4\t2\t90.0\n1\t1\t20.0\n",
    "game_purchase.dat": "User_ID\tGame_ID\tPurchase\n"
    "1\t1\t1.0\n1\t2\t1.0\n1\t3\t1.0\n4\t1\t1.0\n4\t2\t1.0\n5\t3\t1.0\n",
}
BOOKS = {
    "item_list.txt": "org_id remap_id freebase_id\n0553092626 0 m.1\nB0006 1 m.2\n0393 2 m.3\n",
    "train.txt": "0 2 0\n3 1\n",
    "test.txt": "0 1\n3 \n",
}


@pytest.fixture
def folder(tmp_path):
    def write(files, encoding="utf-8", **others):
        for name, text in {**files, **others}.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_bytes(text.encode(encoding))
        return tmp_path

    return write


class TestMovieLens:
    def test_1m(self, folder):
        data = movielens_1m(folder(ONE_M, "latin-1"))
        assert data.collection.titles == ("Léon (1994)", "Nothing Known", "Rain: II (1999)")
        assert data.collection.attributes["genre"] == (("Crime", "Drama"), (), ("Comedy",))
        assert data.collection.attributes["year"] == (("1994",), (), ("1999",))
        assert data.ratings.matrix.toarray().tolist() == [[3, 0, 5], [0, 0, 4], [0, 0, 0]]
        assert data.demographics == {"age": ("1", "56", "25"), "occupation": ("10", "16", "15")}
        assert data.notes == {
            "users with one rating": 1,
            "users without ratings": 1,
            "items nobody rated": 1,
            "items without genre": 1,
            "items without year": 1,
        }

    def test_1m_with_the_files_that_others_put_beside_it(self, folder):
        plain = movielens_1m(folder(ONE_M, "latin-1"))
        folder(
            {
                "movies_extrainfos.dat": EXTRA,
                "agent4rec/movies_augmentation.csv": "movie_id,title,genres,rating,summary\n"
                "1,x,y,9,A girl and a killer.\n7,x,y,9,\n9,x,y,9,It rains.\n",
            }
        )
        data = movielens_1m(folder({}))
        film = data.collection
        assert film.attributes["director"] == (("Luc Besson",), (), ())
        assert film.values("actor", 0) == ("Jean Reno", "Natalie Portman")
        assert film.descriptions == ("A hitman.", "", "") and film.images[0] == "http://x/y.jpg"
        assert film.summaries == ("A girl and a killer.", "", "It rains.")
        assert data.notes["items without a row in movies_extrainfos.dat"] == 1
        assert data.notes["items without director"] == 2 and data.notes["items without summaries"] == 1
        assert data.digest != plain.digest == movielens_1m(folder({}), ready=()).digest

    def test_100k(self, folder):
        data = movielens_100k(folder(HUNDRED_K))
        assert data.collection.attributes["genre"] == (("Action", "Drama"), ())
        assert data.ratings.value.tolist() == [3, 5] and data.users == ("1", "2")
        assert data.demographics["occupation"] == ("technician", "other")

    def test_csv(self, folder):
        data = movielens_csv(folder(SMALL))
        assert (
            data.collection.titles[0] == "Rain, The (1995)" and data.collection.attributes["genre"][1] == ()
        )
        assert data.users == ("8", "7") and data.ratings.scale == (0.5, 5, 0.5)

    @pytest.mark.parametrize(
        ("file", "text", "told"),
        [
            (
                "ratings.dat",
                "1::9::5::1\n1::1::6::1\n",
                r"ratings.dat, row 2: user '1' rates item '1' 6, but the scale",
            ),
            (
                "ratings.dat",
                "1::9::5::1\n1::9::4::1\n",
                "ratings.dat, row 1 and row 2: user '1' rates item '9' twice",
            ),
            (
                "ratings.dat",
                "1::9::5::1\n1::9::4\n",
                "ratings.dat, row 2: 3 fields where there are 4 columns",
            ),
            ("ratings.dat", "1::9::good::1\n", "ratings.dat, row 1: rating = 'good' is no number"),
            ("movies.dat", "1::A (1990)::x\n1::B (1991)::y\n", "the item '1' comes twice"),
        ],
    )
    def test_bad_rows_are_named(self, folder, file, text, told):
        with pytest.raises(InputError, match=told):
            movielens_1m(folder({**ONE_M, file: text}, "latin-1"))

    def test_ratings_of_films_that_nobody_lists(self, folder):
        files = {**ONE_M, "ratings.dat": "1::9::5::1\n1::8::4::1\n"}
        assert movielens_1m(folder(files, "latin-1")).skipped == {"ratings of unknown items": 1}
        with pytest.raises(InputError, match="ratings.dat, row 2: there is no item '8'"):
            movielens_1m(folder({}), RowRules(strict=True))


class TestSteam:
    def test_hours_become_ratings(self, folder):
        data = steam(folder(STEAM))
        assert data.collection.titles == ('Doom "3"', "Spore", "Unplayed") and data.users == ("1", "4")
        # Hours, editions added up, are 30, 0.5, 1.5 and 90; cut at 1.1, 7.2, 24.3 and 54.
        assert data.ratings.matrix.toarray().tolist() == [[4, 1, 0], [2, 5, 0]]
        assert data.skipped == {"games bought and never played": 2, "editions of a game added up": 1}

    def test_as_many_rows_have_each_rating(self):
        hours = np.random.default_rng(1).lognormal(size=1_000)
        assert np.bincount(stars(hours).astype(int)).tolist() == [0, *[200] * 5]
        assert (np.diff(stars(np.sort(hours))) >= 0).all() and set(stars(np.full(9, 3.0))) == {1.0}

    def test_hours_of_nothing(self, folder):
        with pytest.raises(InputError, match=r"game_play.dat, row 3: -2 hours of play"):
            steam(folder({**STEAM, "game_play.dat": "User_ID\tGame_ID\tHours\n1\t1\t10.0\n1\t2\t-2\n"}))


class TestAmazonBook:
    def test_every_interaction_has_one_value(self, folder):
        data = amazon_book(folder(BOOKS))
        assert data.collection.ids == ("0553092626", "B0006", "0393") and data.users == ("0", "3")
        assert data.ratings.matrix.toarray().tolist() == [[4, 4, 4], [0, 4, 0]]
        assert data.published.test.pairs.tolist() == [1] and not len(data.published.validation)
        assert len(data.published.train) == 3

    @pytest.mark.parametrize(
        ("text", "row"),
        [("0 1\n\n3 x\n", 3), ("0 1x\n", 1), ("0 1 2.5\n", 1), ("0 1\n0 2 1\n", "1 and row 2")],
    )
    def test_bad_rows_are_named(self, folder, text, row):
        with pytest.raises(InputError, match=f"train.txt, row {row}:"):
            amazon_book(folder({**BOOKS, "train.txt": text}))

    def test_without_users_of_few_ratings(self, folder):
        data = with_at_least(amazon_book(folder(BOOKS)), 2)
        assert data.users == ("0",) and data.ratings.users == data.published.train.users == 1
        assert data.published.train.item.tolist() == [2, 0] and data.published.test.item.tolist() == [1]
        assert with_at_least(data, 2) is data and data.skipped == {"users with fewer than 2 ratings": 1}

    def test_books_that_nobody_lists(self, folder):
        data = amazon_book(folder({**BOOKS, "train.txt": "0 2 0 77\n3 1\n"}))
        assert data.skipped == {"ratings of unknown items": 1} and len(data.published.train) == 3


needs_data = pytest.mark.skipif("OPENIIR_DATA" not in os.environ, reason="OPENIIR_DATA is not set")


@needs_data
class TestWhole:
    def place(self, name):
        return Path(os.environ["OPENIIR_DATA"]) / name

    def test_movielens_1m(self):
        data = movielens_1m(self.place("ml-1m"))
        assert np.bincount(data.ratings.value.astype(int)).tolist() == [
            0,
            56_174,
            107_557,
            261_197,
            348_971,
            226_310,
        ]
        folds = split(data.ratings, 42)
        assert [*map(len, (folds.train, folds.validation, folds.test))] == [799_663, 100_273, 100_273]
        assert len(data.collection) == 3_883 and data.notes["items nobody rated"] == 177 and not data.skipped

    def test_movielens_100k(self):
        data = movielens_100k(self.place("ml-100k"))
        assert (len(data.users), len(data.collection), len(data.ratings)) == (943, 1_682, 100_000)
        assert data.ratings.mean == pytest.approx(3.52986)

    def test_steam(self):
        data = steam(self.place("steam"))
        assert (len(data.users), len(data.collection), len(data.ratings)) == (11_350, 5_155, 70_477)
        assert data.skipped == {"games bought and never played": 58_327, "editions of a game added up": 12}

    def test_amazon_book(self):
        data = amazon_book(self.place("amazon-book"))
        assert (len(data.users), len(data.collection)) == (70_679, 24_915)
        assert (len(data.published.train), len(data.published.test)) == (652_514, 193_920)


def test_ready_made_enrichment_can_be_left_to_a_study(folder):
    folder({**ONE_M, "plots.csv": "film,plot\n1,P\n"}, "latin-1")
    own = Enrichment(file="plots.csv", key="film", description="plot")
    assert movielens_1m(folder({}), ready=(own,)).collection.descriptions == ("P", "", "")
