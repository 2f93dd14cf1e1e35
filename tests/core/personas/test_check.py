"""The check of a persona file: errors as the reader says them, warnings for casts that would disappoint."""

from collections.abc import Callable
from pathlib import Path

import pytest

from openiir.core.errors import InputError
from openiir.core.personas import check_persona_file, load_personas

Write = Callable[[str | bytes], Path]


def entry(id: str, **keys: str) -> str:
    lines = {
        "id": f'"{id}"',
        "name": f'"Person {id}"',
        "bio": f'"Person {id} measures search engines and writes about what they miss."',
        "interests": '["cost"]',
        **keys,
    }
    return "[[persona]]\n" + "".join(f"{key} = {value}\n" for key, value in lines.items())


def test_a_sound_cast_has_no_findings(persona_file: Write) -> None:
    assert check_persona_file(persona_file(entry("a", stance="0.5") + entry("b", stance="-0.5"))) == []


@pytest.mark.parametrize(
    ("keys", "key"),
    [
        ({"interests": "[]"}, "interests"),
        ({"interests": '["", " "]'}, "interests"),
        ({"interests": '["cost", ""]'}, "interests"),
        ({"tokens": "89"}, "tokens"),
        ({"bio": '"Short."'}, "bio"),
        ({"activity": "{ active_hours = [] }"}, "active_hours"),
        ({"name": '"person A"'}, "name"),
        ({"name": '"Person\\u200b\\u00a0a"'}, "name"),
        ({"name": '"Ｐerson a"'}, "name"),
    ],
)
def test_what_disappoints_is_a_warning_at_its_persona(
    persona_file: Write, keys: dict[str, str], key: str
) -> None:
    path = persona_file(entry("a") + entry("b", **keys))
    findings = check_persona_file(path)
    assert [(f.level, f.persona) for f in findings] == [("warning", "b")] and key in findings[0].text
    assert str(findings[0]).startswith(f"{path}, persona 2 (b): ")
    assert len(load_personas(path)) == 2


@pytest.mark.parametrize(("stances", "side"), [((0.1, 0.9), "above"), ((-0.1, -0.9), "below")])
def test_stances_on_one_side_are_a_warning(
    persona_file: Write, stances: tuple[float, float], side: str
) -> None:
    cast = "".join(entry(id, stance=str(s)) for id, s in zip("ab", stances, strict=True)) + entry("c")
    (finding,) = check_persona_file(persona_file(cast))
    assert finding.level == "warning"
    assert f"are {side} 0" in finding.text


def test_a_budget_below_one_utterance_is_a_warning(persona_file: Write) -> None:
    assert check_persona_file(persona_file(entry("a", tokens="90"))) == []
    (finding,) = check_persona_file(persona_file(entry("a", tokens="89")))
    assert finding.text.startswith("tokens = 89")


def test_errors_come_first_and_are_the_readers_own(persona_file: Write) -> None:
    path = persona_file(entry("a", tokens="5") + entry("b", stance="7"))
    findings = check_persona_file(path)
    assert [finding.level for finding in findings] == ["error", "warning"]
    with pytest.raises(InputError) as caught:
        load_personas(path)
    assert str(findings[0]) == str(caught.value)


def test_a_file_that_is_not_there_is_a_finding(tmp_path: Path) -> None:
    assert [finding.level for finding in check_persona_file(tmp_path / "none.toml")] == ["error"]
