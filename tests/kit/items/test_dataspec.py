"""What a study says of its data: names, own files by their columns, enrichment, and where files may lie."""

import os
from pathlib import Path

import pytest
from pyarrow import csv, parquet
from pydantic import ValidationError

from openiir.kit.items import DataSpec, load
from openiir.kit.items.dataspec import load_known_tastes
from openiir.plugin import InputError

RATINGS = "who,what,stars,when\nada,b1,4,10\nada,b2,2,11\nben,b1,5,12\n"
BOOKS = "isbn,name,tags,by,about\nb1,Rain,wet|blue,Ann,On rain.\nb2,,,NULL,\nb3,Sun,,Bob,On the sun.\n"
OWN = {
    "name": "shop",
    "kind": "book",
    "ratings": {"file": "ratings.csv", "user": "who", "item": "what", "rating": "stars", "time": "when"},
    "items": {
        "file": "books.csv",
        "key": "isbn",
        "title": "name",
        "summary": "about",
        "attributes": {"genre": "tags", "author": "by"},
        "lists": {"genre": "|"},
    },
}


@pytest.fixture
def study(tmp_path):
    (tmp_path / "ratings.csv").write_text(RATINGS)
    (tmp_path / "books.csv").write_text(BOOKS)
    return tmp_path


def own(**changes):
    return DataSpec.model_validate({**OWN, **changes})


class TestOwnFiles:
    def test_a_column_map(self, study):
        data = load(own(), study)
        assert (data.name, data.users, data.collection.ids) == ("shop", ("ada", "ben"), ("b1", "b2", "b3"))
        assert data.collection.titles == ("Rain", "b2", "Sun") and data.collection.kind == "book"
        assert data.collection.attributes == {
            "genre": (("wet", "blue"), (), ()),
            "author": (("Ann",), (), ("Bob",)),
        }
        assert data.collection.summaries == ("On rain.", "", "On the sun.")
        assert data.notes["items without genre"] == 2 and data.notes["users with one rating"] == 1
        assert data.ratings.matrix.toarray().tolist() == [[4, 2, 0], [5, 0, 0]]

    def test_parquet_says_the_same(self, study):
        for name in ("ratings", "books"):
            parquet.write_table(csv.read_csv(study / f"{name}.csv"), study / f"{name}.parquet")
        spec = own(
            ratings={**OWN["ratings"], "file": "ratings.parquet"},
            items={**OWN["items"], "file": "books.parquet"},
        )
        one, other = load(own(), study), load(spec, study)
        assert one.collection.titles == other.collection.titles and one.users == other.users
        assert one.ratings.matrix.toarray().tolist() == other.ratings.matrix.toarray().tolist()
        assert one.digest != other.digest

    def test_without_a_file_of_items_or_ratings(self, study):
        spec = own(items=None, ratings={"file": "ratings.csv", "user": "who", "item": "what"})
        data = load(spec, study)
        assert set(data.ratings.value) == {4.0} and data.collection.titles == ("b1", "b2")

    def test_items_told_in_the_file_of_ratings(self, study):
        (study / "all.csv").write_text("u,i,r,title,genre\n1,a,5,Rain,wet\n2,a,4,Rain,dry\n2,b,3,Sun,hot\n")
        spec = own(
            ratings={"file": "all.csv", "user": "u", "item": "i", "rating": "r"},
            items={"file": "all.csv", "key": "i", "title": "title", "attributes": {"genre": "genre"}},
        )
        data = load(spec, study)
        assert data.collection.titles == ("Rain", "Sun") and data.collection.attributes["genre"] == (
            ("wet",),
            ("hot",),
        )

    def test_another_scale(self, study):
        ten = {**OWN["ratings"], "scale": (1, 10, 1)}
        (study / "ratings.csv").write_text("who,what,stars,when\nada,b1,9,1\n")
        assert load(own(ratings=ten), study).ratings.scale.high == 10
        with pytest.raises(
            InputError, match=r"ratings.csv, row 2: user 'ada' rates item 'b1' 9, but the scale is 1 to 5"
        ):
            load(own(), study)

    def test_rules(self, study):
        (study / "ratings.csv").write_text(RATINGS + "ada,b1,1,9\nben,b9,1,9\n")
        with pytest.raises(InputError, match="row 2 and row 5: user 'ada' rates item 'b1' twice"):
            load(own(), study)
        data = load(own(rules={"duplicates": "last"}), study)
        assert data.ratings.value.tolist() == [4, 2, 5]  # by time, the last is the one in row 2
        assert data.skipped == {"ratings of unknown items": 1, "further ratings of a pair": 1}
        with pytest.raises(InputError, match="row 6: there is no item 'b9'"):
            load(own(rules={"duplicates": "last", "strict": True}), study)

    def test_users_with_few_ratings(self, study):
        data = load(own(minimum_ratings=2), study)
        assert data.users == ("ada",) and data.skipped == {"users with fewer than 2 ratings": 1}
        assert data.ratings.matrix.toarray().tolist() == [[4, 2, 0]]

    def test_no_ratings_at_all(self, study):
        (study / "ratings.csv").write_text("who,what,stars,when\n")
        data = load(own(), study)
        assert not data.users and not len(data.ratings) and data.notes["items nobody rated"] == 3

    def test_an_item_in_two_rows(self, study):
        (study / "books.csv").write_text(BOOKS + "b1,Again,,,\n")
        with pytest.raises(InputError, match=r"books.csv, row 5: the item 'b1' stands in row 2 already"):
            load(own(), study)


class TestItemsAlone:
    ITEMS = OWN["items"]

    def test_are_a_collection_that_nobody_rated(self, study):
        data = load(DataSpec.model_validate({"name": "shop", "kind": "book", "items": self.ITEMS}), study)
        rated = load(own(), study)
        assert data.collection.titles == rated.collection.titles and data.collection.kind == "book"
        assert data.collection.attributes == rated.collection.attributes
        assert (data.users, len(data.ratings), data.ratings.users, data.ratings.items) == ((), 0, 0, 3)
        assert data.notes["items without a title"] == 1 and data.notes["items nobody rated"] == 3
        assert data.digest and data.digest != rated.digest

    def test_need_no_name(self, study):
        assert len(load(DataSpec.model_validate({"items": self.ITEMS}), study).collection) == 3

    def test_can_be_enriched(self, study):
        (study / "extra.csv").write_text("id,by\nb1,Zoe\n")
        extra = [{"file": "extra.csv", "key": "id", "attributes": {"author": "by"}}]
        data = load(DataSpec.model_validate({"items": self.ITEMS, "enrichment": extra}), study)
        assert data.collection.attributes["author"] == (("Zoe",), (), ("Bob",))

    def test_a_file_of_no_items(self, study):
        (study / "books.csv").write_text("isbn,name,tags,by,about\n")
        assert len(load(DataSpec.model_validate({"items": self.ITEMS}), study).collection) == 0

    @pytest.mark.parametrize(
        ("rows", "told"),
        [
            (
                "b1,A,,,\nb2,B,,,\nb1,C,,,\n",
                "row 4: the item 'b1' stands in row 2 already; keep one row an item",
            ),
            ("b1,A,,,\n,B,,,\n", "row 3: isbn is empty; give the row an id"),
            ("b1,A\n", "row 2: 2 fields where there are 5 columns"),
        ],
    )
    def test_bad_rows_are_told(self, study, rows, told):
        (study / "books.csv").write_text("isbn,name,tags,by,about\n" + rows)
        with pytest.raises(InputError, match=told):
            load(DataSpec.model_validate({"items": self.ITEMS}), study)


class TestJson:
    def spec(self, **changes):
        return DataSpec.model_validate(
            {
                "items": {
                    "file": "films.json",
                    "key": "id",
                    "title": "name",
                    "attributes": {"genre": "genre"},
                    **changes,
                }
            }
        )

    def write(self, study, text):
        (study / "films.json").write_text(text, encoding="utf-8")

    def test_records_by_id(self, study):
        self.write(
            study,
            '{"7": {"name": "Léon", "genre": ["crime", "drama"], "year": 1994}, '
            '"9": {"name": null, "genre": []}}',
        )
        data = load(self.spec(attributes={"genre": "genre", "year": "year"}), study)
        assert data.collection.ids == ("7", "9") and data.collection.titles == ("Léon", "9")
        assert data.collection.attributes == {"genre": (("crime", "drama"), ()), "year": (("1994",), ())}

    def test_a_list_of_records(self, study):
        self.write(study, '[{"id": 7, "name": "A", "genre": "x"}, {"id": 9, "genre": "y"}]')
        data = load(self.spec(), study)
        assert data.collection.ids == ("7", "9") and data.collection.titles == ("A", "9")
        assert data.collection.attributes == {"genre": (("x",), ("y",))}

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("{", "is not JSON .*; mend it"),
            ("3", "neither an object of records by id nor a list of records"),
            ('{"1": 2}', "record 1 is no object"),
            ('{"1": {"id": 2}}', "its records have a field 'id' of their own"),
            ('{"1": {"genre": "x"}}', "has no column 'name'; it has id, genre"),
            (
                '[{"id": 1, "name": {"en": "x"}, "genre": "x"}]',
                "record 1: name is neither a text, a number nor a list of these",
            ),
            (
                '[{"id": 1, "name": "x", "genre": "x"}, {"id": 1, "name": "y", "genre": "x"}]',
                "row 2: the item '1' stands in row 1 already",
            ),
        ],
    )
    def test_what_cannot_be_read(self, study, text, told):
        self.write(study, text)
        with pytest.raises(InputError, match=told):
            load(self.spec(), study)


class TestEnrichment:
    def extra(self, study, text, **changes):
        (study / "extra.csv").write_text(text)
        spec = {"file": "extra.csv", "key": "id", "attributes": {"author": "by"}, "caption": "seen"}
        return load(own(enrichment=[{**spec, **changes}]), study)

    def test_what_it_says_stands_before_what_was_known(self, study):
        data = self.extra(study, "id,by,seen\nb1,Zoe,A cloud\nb3,N/A,\nx,y,z\n")
        assert data.collection.attributes["author"] == (("Zoe",), (), ("Bob",))
        assert data.collection.captions == ("A cloud", "", "")
        assert (
            data.notes["items without a row in extra.csv"] == 1 and data.notes["items without captions"] == 2
        )
        assert data.digest != load(own(), study).digest

    def test_of_nothing_that_is_there(self, study):
        with pytest.raises(InputError, match=r"extra.csv: none of its 1 values of id is an item of shop"):
            self.extra(study, "id,by,seen\nx,y,z\n")

    def test_with_a_row_twice(self, study):
        with pytest.raises(InputError, match="row 3: the item 'b1' stands in row 2 already"):
            self.extra(study, "id,by,seen\nb1,y,z\nb1,y,z\n")

    def test_without_a_column(self, study):
        with pytest.raises(InputError, match="has no column 'seen'; it has id, by"):
            self.extra(study, "id,by\nb1,y\n")

    def test_lists_of_what_is_no_attribute(self):
        with pytest.raises(ValidationError, match="lists names 'gener', which attributes does not"):
            own(enrichment=[{"file": "x", "key": "id", "lists": {"gener": "|"}}])


class TestNames:
    def files(self, folder):
        folder.mkdir(parents=True)
        (folder / "movies.csv").write_text("movieId,title,genres\n1,Rain (1995),Drama\n")
        (folder / "ratings.csv").write_text("userId,movieId,rating,timestamp\n7,1,0.5,2\n")

    def test_a_set_is_found_where_fetching_puts_it(self, tmp_path, monkeypatch):
        monkeypatch.setenv("OPENIIR_DATA", str(tmp_path))
        spec = DataSpec(name="movielens-latest-small")
        with pytest.raises(
            InputError,
            match=r"ml-latest-small has no movies.csv.*`openiir data fetch movielens-latest-small` gets it",
        ):
            load(spec, tmp_path / "study")
        self.files(tmp_path / "ml-latest-small")
        assert load(spec, tmp_path / "study").users == ("7",)

    def test_or_in_the_folder_that_a_study_names(self, tmp_path, monkeypatch):
        monkeypatch.setenv("OPENIIR_DATA", str(tmp_path / "shared"))
        self.files(tmp_path / "shared" / "deep" / "ml")
        self.files(tmp_path / "study" / "ml")
        for path in ("ml", "$OPENIIR_DATA/deep/ml"):
            data = load(DataSpec(name="movielens-latest-small", path=path), tmp_path / "study")
            assert data.users == ("7",)
        with pytest.raises(InputError, match=r"config.data.path ../x lies outside .*study; copy it"):
            load(DataSpec(name="movielens-latest-small", path="../x"), tmp_path / "study")
        monkeypatch.delenv("OPENIIR_DATA")
        with pytest.raises(InputError, match="needs the variable OPENIIR_DATA"):
            load(DataSpec(name="movielens-latest-small", path="$OPENIIR_DATA/deep/ml"), tmp_path / "study")

    def test_a_name_that_nobody_knows(self, tmp_path):
        with pytest.raises(InputError, match=r"no data set is called 'netflix'; known are .*movielens-1m"):
            load(DataSpec(name="netflix"), tmp_path)

    def test_steam_has_to_be_got_by_hand(self, tmp_path, monkeypatch):
        monkeypatch.setenv("OPENIIR_DATA", str(tmp_path))
        with pytest.raises(InputError, match=r"has no game_play.dat.*take steam.zip.*github.com/caserec"):
            load(DataSpec(name="steam"), tmp_path)

    def test_by_default_it_is_made_by_code(self, tmp_path):
        assert len(load(DataSpec(), tmp_path).users) == 300
        small = DataSpec.model_validate({"synthetic": {"users": 20, "items": 30, "seed": 4}})
        assert (
            load(small, tmp_path) is load_known_tastes(small).data and len(load(small, tmp_path).users) == 20
        )

    @pytest.mark.parametrize(
        ("values", "told"),
        [
            ({"items": {"file": "x", "key": "id"}, "path": "x"}, "path is the folder of a named data set"),
            ({"items": {"file": "x", "key": "id"}, "minimum_ratings": 2}, "items without ratings have none"),
            ({"kind": "book"}, "items or ratings is needed beside it"),
            ({"path": "x", **OWN}, "path is the folder of a named data set"),
            ({"name": "steam", "synthetic": {}}, 'for name = "synthetic" alone'),
            ({**OWN, "ratings": {**OWN["ratings"], "scale": (5, 1, 1)}}, "scale needs a lowest"),
            ({"nmae": "steam"}, "nmae"),
        ],
    )
    def test_what_does_not_go_together(self, values, told):
        with pytest.raises(ValidationError, match=told):
            DataSpec.model_validate(values)

    @pytest.mark.parametrize(
        "values", [{}, OWN, {"name": "steam", "enrichment": []}, {"synthetic": {"users": 5}}]
    )
    def test_a_stored_study_says_the_same(self, values):
        spec = DataSpec.model_validate(values)
        assert DataSpec.model_validate_json(spec.model_dump_json()) == spec


class TestOnce:
    def test_a_file_is_read_once_as_long_as_it_stays_the_same(self, study):
        first = load(own(), study)
        assert load(own(), study) is first and load(own(minimum_ratings=2), study) is not first
        (study / "ratings.csv").write_text(RATINGS + "ben,b3,1,1\n")
        assert len(load(own(), study).ratings) == 4


def test_items_of_redial(tmp_path):
    if not (Path(os.environ.get("OPENIIR_DATA", "")) / "crs" / "redial" / "id2info.json").is_file():
        pytest.skip("OPENIIR_DATA is not set or has no crs/redial: ReDial's items are not at hand")
    attributes = {"genre": "genre", "director": "director", "actor": "star"}
    items = {
        "file": "$OPENIIR_DATA/crs/redial/id2info.json",
        "key": "id",
        "title": "name",
        "description": "plot",
        "attributes": attributes,
    }
    films = load(
        DataSpec.model_validate({"name": "redial", "kind": "movie", "items": items}), tmp_path
    ).collection
    assert (
        len(films) == 6_583 and films.ids[0] == "100026" and films.values("genre", 0) == ("drama", "romance")
    )
