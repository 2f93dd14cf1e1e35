"""Personas survive the way to TOML and back, and a library keeps them apart."""

import math
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openiir.core.errors import InputError, StorageFull, UnknownName
from openiir.core.personas import PersonaLibrary, load_personas, personas_to_toml, save_personas
from openiir.core.records import ActivityProfile, BigFive, Persona

unit = st.floats(0, 1)
rate = st.floats(0, 1e6)
text = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)
said = text.filter(lambda t: any(unicodedata.category(sign)[0] not in "CZ" for sign in t))
trait = text | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | st.booleans()

personas = st.builds(
    Persona,
    id=st.from_regex(r"[a-z0-9][a-z0-9_-]{0,20}", fullmatch=True),
    name=said,
    bio=said,
    tokens=st.integers(0, 2**53),
    searches=st.integers(0, 50),
    stance=st.none() | st.floats(-1, 1),
    influence=st.floats(1e-9, 1e9),
    interests=st.lists(text, max_size=4).map(tuple),
    activity=st.none()
    | st.builds(
        ActivityProfile,
        posts_per_hour=rate,
        comments_per_hour=rate,
        active_hours=st.lists(st.integers(0, 23), max_size=24).map(tuple),
        response_delay_minutes=rate,
    ),
    big_five=st.builds(
        BigFive,
        openness=unit,
        conscientiousness=unit,
        extraversion=unit,
        agreeableness=unit,
        neuroticism=unit,
    ),
    retrieval=st.sampled_from(["hybrid", "keyword", "vector", "none"]),
    memory=st.sampled_from(["full", "none", "recent:20"]),
    traits=st.dictionaries(text, trait, max_size=3),
)
casts = st.lists(personas, min_size=1, max_size=3, unique_by=lambda persona: persona.id)


def ada(**changes: object) -> Persona:
    return Persona.model_validate({"id": "ada", "name": "Ada", "bio": "Ada counts things.", **changes})


@given(casts)
@settings(max_examples=40, deadline=None)
def test_what_is_written_comes_back_equal(
    tmp_path_factory: pytest.TempPathFactory, cast: list[Persona]
) -> None:
    path = tmp_path_factory.mktemp("cast") / "cast.toml"
    save_personas(path, cast)
    back = load_personas(path)
    assert back == tuple(cast)
    assert [persona.model_dump_json() for persona in back] == [persona.model_dump_json() for persona in cast]
    assert personas_to_toml(back) == path.read_text(encoding="utf-8")


def test_types_within_traits_survive(tmp_path: Path) -> None:
    cast = [ada(traits={"whole": 1, "broken": 1.0, "yes": True, "said": "1"})]
    back = load_personas(save_personas(tmp_path / "cast.toml", cast))[0].traits
    assert {key: type(value) for key, value in back.items()} == {
        "whole": int,
        "broken": float,
        "yes": bool,
        "said": str,
    }


def test_a_file_keeps_its_order_and_a_folder_sorts_by_id(tmp_path: Path) -> None:
    save_personas(tmp_path / "b.toml", [ada(id="zoe"), ada(id="bo")])
    save_personas(tmp_path / "a.toml", [ada(id="mia")])
    (tmp_path / "notes.txt").write_text("no persona")
    assert [persona.id for persona in load_personas(tmp_path / "b.toml")] == ["zoe", "bo"]
    assert [persona.id for persona in load_personas(tmp_path)] == ["bo", "mia", "zoe"]


def test_a_persona_that_toml_cannot_hold_is_refused_and_the_old_file_stays(tmp_path: Path) -> None:
    path = save_personas(tmp_path / "cast.toml", [ada()])
    before = path.read_bytes()
    with pytest.raises(InputError, match=r"traits\.weight = nan"):
        save_personas(path, [ada(traits={"weight": math.nan})])
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_get_offers_the_nearest(tmp_path: Path) -> None:
    library = PersonaLibrary(tmp_path)
    for id in ("ada", "bo", "cleo"):
        library.save(ada(id=id))
    assert library.get("bo").id == "bo"
    with pytest.raises(UnknownName, match="did you mean 'cleo'"):
        library.get("clio")


def test_saving_again_replaces_the_personas_own_file(tmp_path: Path) -> None:
    library = PersonaLibrary(tmp_path / "new" / "folder")
    first = library.save(ada(tokens=1))
    second = library.save(ada(tokens=2))
    assert first == second == tmp_path / "new" / "folder" / "ada.toml"
    assert library.get("ada").tokens == 2


def test_a_file_with_several_personas_is_never_rewritten(tmp_path: Path) -> None:
    by_hand = save_personas(tmp_path / "ada.toml", [ada(), ada(id="bo")])
    before = by_hand.read_bytes()
    for persona in (ada(tokens=7), ada(id="bo", tokens=7)):
        with pytest.raises(InputError, match="ada.toml"):
            PersonaLibrary(tmp_path).save(persona)
    assert by_hand.read_bytes() == before


def test_a_damaged_file_in_the_place_of_a_persona_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "ada.toml").write_text("[[persona]]\nid = ")
    with pytest.raises(InputError, match="ada.toml"):
        PersonaLibrary(tmp_path).save(ada())


def test_a_library_names_the_mistakes_of_all_its_files_at_once(tmp_path: Path) -> None:
    save_personas(tmp_path / "one.toml", [ada()])
    save_personas(tmp_path / "two.toml", [ada()])
    (tmp_path / "three.toml").write_text("[[persona]]\nid = 3\n")
    with pytest.raises(InputError) as caught:
        PersonaLibrary(tmp_path).list()
    lines = str(caught.value).splitlines()
    assert any("two.toml" in line and "taken in" in line and "one.toml" in line for line in lines)
    assert any("three.toml, line 2" in line for line in lines)


def test_a_missing_library_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no persona library .*nowhere"):
        PersonaLibrary(tmp_path / "nowhere").list()


def test_a_folder_that_cannot_be_made_is_a_plain_message(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StorageFull, match="could not be written"):
        save_personas(tmp_path / "file" / "cast.toml", [ada()])
