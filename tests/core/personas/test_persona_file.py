"""Every kind of mistake in a persona file is one line with file, place, key and remedy."""

from collections.abc import Callable
from pathlib import Path

import pytest

from openiir.core.errors import InputError
from openiir.core.personas import load_personas
from openiir.core.personas.line_numbers import LineNumbers
from openiir.core.personas.persona_file import EXPECTED, read_personas
from openiir.core.records import ActivityProfile, BigFive, Persona

Write = Callable[[str | bytes], Path]
GOOD = '[[persona]]\nid = "ada"\nname = "Ada"\nbio = "Ada counts things."\n'

MISTAKES = {
    "unknown key": ("tokns = 3", 5, "'tokns'", "did you mean 'tokens'"),
    "unknown key, nothing near": ("zzz = 3", 5, "'zzz'", "known keys: id, name, bio"),
    "unknown factor": ("[persona.big_five]\nopennes = 0.5", 6, "'opennes'", "did you mean 'openness'"),
    "unknown activity": ("activity = { hours = [1] }", 5, "'hours'", "active_hours"),
    "wrong type": ('tokens = "4000"', 5, "tokens", "whole number"),
    "fraction of a token": ("tokens = 1.5", 5, "tokens", "whole number"),
    "truth for a number": ("stance = true", 5, "stance", "from -1"),
    "text for a list": ('interests = "cost"', 5, "interests", "list of texts"),
    "number in a list of texts": ("interests = [1]", 5, "interests", "list of texts"),
    "number for a table": ("big_five = 0.5", 5, "big_five", "table of openness"),
    "date among traits": ("[persona.traits]\nborn = 2000-01-01", 6, "traits.born", "text"),
    "negative budget": ("tokens = -1", 5, "tokens", "at least 0"),
    "stance out of range": ("stance = 1.5", 5, "stance = 1.5", "from -1"),
    "stance not a number": ("stance = nan", 5, "stance = nan", "from -1"),
    "endless influence": ("influence = inf", 5, "influence = inf", "greater than 0"),
    "no influence": ("influence = 0.0", 5, "influence", "greater than 0"),
    "number beyond use": ("searches = 99999999999999999999", 5, "searches", "at least 0"),
    "nan among traits": ("traits = { weight = nan }", 5, "traits.weight = nan", "finite"),
    "hour of the day": ("[persona.activity]\nactive_hours = [9, 24]", 6, "active_hours", "0 to 23"),
    "factor in percent": ("big_five = { openness = 70 }", 5, "big_five.openness = 70", "from 0 (low) to 1"),
    "unknown retrieval": ('retrieval = "magic"', 5, "retrieval", '"hybrid"'),
}


def message(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        load_personas(path)
    return str(caught.value)


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_is_one_line_with_its_place_and_remedy(persona_file: Write, case: str) -> None:
    line, number, so, remedy = MISTAKES[case]
    path = persona_file(GOOD + line + "\n")
    said = message(path)
    assert len(said.splitlines()) == 1
    assert said.startswith(f"{path}, line {number}, persona 1 (ada): ")
    assert so in said
    assert remedy in said


@pytest.mark.parametrize("key", ["id", "name", "bio"])
def test_a_missing_key_is_named_with_what_it_takes(persona_file: Write, key: str) -> None:
    path = persona_file("\n".join(line for line in GOOD.splitlines() if not line.startswith(key)))
    said = message(path)
    assert "line 1, persona 1" in said
    assert f"{key} is missing; add it: {EXPECTED[key]}" in said


@pytest.mark.parametrize(
    "line", ['id = "Ada Lovelace"', 'id = "../ada"', 'id = ""', 'name = " "', 'bio = ""']
)
def test_texts_that_cannot_be_used_are_refused(persona_file: Write, line: str) -> None:
    key = line.split()[0]
    kept = [old for old in GOOD.splitlines() if not old.startswith(key)]
    said = message(persona_file("\n".join([*kept, line])))
    assert f"{key} = " in said
    assert EXPECTED[key] in said


def test_all_mistakes_of_a_file_come_at_once_in_the_order_of_the_file(persona_file: Write) -> None:
    path = persona_file(f"{GOOD}stance = 3\ntokns = 1\n{GOOD}name2 = 1\n")
    lines = message(path).splitlines()
    assert [line.split(": ")[0].removeprefix(f"{path}, ") for line in lines] == [
        "line 5, persona 1 (ada)",
        "line 6, persona 1 (ada)",
        "line 8, persona 2 (ada)",
        "line 11, persona 2 (ada)",
    ]


def test_a_duplicate_id_names_the_one_that_has_it(persona_file: Write) -> None:
    said = message(persona_file(GOOD + GOOD))
    assert "line 6, persona 2 (ada)" in said
    assert "taken by persona 1" in said


WHOLE_FILES = {
    "empty": (b"", "no persona in it"),
    "comments only": (b"# nobody yet\n", "no persona in it"),
    "an empty list": (b"persona = []", "no persona in it"),
    "not TOML": (b"persona: ada\n", "not TOML"),
    "cut off": (b'[[persona]]\nid = "a', "not TOML"),
    "single brackets": (b"# cast\n[persona]\nid = 'ada'", "double brackets"),
    "a list of texts": (b"persona = ['ada']", "double brackets"),
    "Latin 1": ("# caf\n[[persona]]\nname = 'Ren\u00e9'".encode("latin-1"), "UTF-8"),
    "UTF-16": (GOOD.encode("utf-16"), "UTF-8"),
    "binary": (bytes(range(256)), "UTF-8"),
    "nested without end": (b"a = " + b"[" * 100_000, "nested too deeply"),
    "a number without end": (b"a = " + b"9" * 5_000, "thousands of digits"),
    "a key outside": (GOOD.replace("[[persona]]", "").encode(), "below a [[persona]] heading"),
    "a heading misspelt": (GOOD.replace("[[persona]]", "[[person]]").encode(), "did you mean 'persona'"),
}


@pytest.mark.parametrize("case", WHOLE_FILES)
def test_a_file_that_holds_no_personas_says_what_it_is(persona_file: Write, case: str) -> None:
    content, so = WHOLE_FILES[case]
    path = persona_file(content)
    said = message(path)
    assert so in said
    assert all(line.startswith(str(path)) for line in said.splitlines())


def test_a_wrong_encoding_names_the_line(persona_file: Write) -> None:
    assert "is not utf-8 (byte 0xe9 in row 3)" in message(persona_file(WHOLE_FILES["Latin 1"][0]))


def test_a_missing_file_and_a_missing_folder(tmp_path: Path) -> None:
    for path in (tmp_path / "cast.toml", tmp_path / "no" / "cast.toml"):
        assert message(path).startswith(f"{path}: does not exist")


def test_a_byte_order_mark_is_no_mistake(persona_file: Write) -> None:
    assert load_personas(persona_file(b"\xef\xbb\xbf" + GOOD.encode()))[0].id == "ada"


def test_windows_line_ends_keep_their_line_numbers(persona_file: Write) -> None:
    assert ", line 5, " in message(persona_file((GOOD + "stance = 9\n").replace("\n", "\r\n")))


def test_personas_that_are_right_are_read_beside_those_that_are_wrong() -> None:
    reading = read_personas(GOOD + GOOD.replace("ada", "bo") + "tokens = -1\n", "cast.toml")
    assert [persona.id for persona in reading.personas] == ["ada"]
    assert [finding.entry for finding in reading.findings] == [2]


def test_a_heading_inside_a_text_is_no_heading() -> None:
    text = '[[persona]]\nid = "a"\nname = """\n[[persona]]\nstance = 9 # "\n"""\n'
    text += "bio = '''\n#\"\"\"\n'''\nstance = 2\n"
    findings = read_personas(text, "cast.toml").findings
    assert [(finding.line, finding.text[:6]) for finding in findings] == [(10, "stance")]


def test_where_personas_are_written_in_one_line_no_line_is_guessed() -> None:
    findings = read_personas(
        "persona = [{ id = 'a', name = 'A', bio = 'b', stance = 2 }]", "cast.toml"
    ).findings
    assert [(one.line, one.entry, one.text[:6]) for one in findings] == [(None, 1, "stance")]


def test_dotted_and_quoted_keys_are_found() -> None:
    layout = LineNumbers(
        '[[persona]]\n"id" = "a"\nbig_five.openness = 2\n[persona.activity]\nposts_per_hour = 1\n'
    )
    assert layout.line(1, ("id",), of=1) == 2
    assert layout.line(1, ("big_five", "openness"), of=1) == 3
    assert layout.line(1, ("activity", "posts_per_hour"), of=1) == 5
    assert layout.line(1, ("activity", "absent"), of=1) == 4
    assert layout.line(1, ("absent",), of=1) == 1


def test_every_key_a_persona_has_is_explained() -> None:
    nested = {"big_five": BigFive, "activity": ActivityProfile}
    keys = set(Persona.model_fields) | {
        f"{t}.{key}" for t, record in nested.items() for key in record.model_fields
    }
    assert keys == set(EXPECTED)
