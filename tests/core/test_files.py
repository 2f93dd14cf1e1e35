import gzip
import json
import os

import pytest

from openiir.core.files import (
    InputLimits,
    Unreadable,
    limits,
    parse_json,
    parse_toml,
    read_json,
    read_text,
    read_toml,
    set_limits,
)
from openiir.runs.settings import load_settings


def test_what_is_no_file_is_refused_without_waiting_for_it(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "dead").symlink_to(tmp_path / "nowhere")
    cases = {
        tmp_path / "pipe": "no regular file",
        tmp_path / "dead": "symbolic link to nothing",
        tmp_path / ("a" * 300): "File name too long",
        tmp_path / "a\0b": "zero character",
        tmp_path: "is a folder",
    }
    for path, reason in cases.items():
        with pytest.raises(Unreadable) as caught:
            read_text(path)
        assert reason in caught.value.reason
        assert str(caught.value) == f"{path} {caught.value.reason}"


def test_limits_hold_on_the_disk_and_after_decompression(tmp_path, limit_inputs):
    path = tmp_path / "data.json.gz"
    path.write_bytes(gzip.compress(b" " * 60 + b"1") + gzip.compress(b" " * 39))
    limit_inputs(json_bytes=100)
    assert read_json(path) == 1
    limit_inputs(json_bytes=99)
    with pytest.raises(
        Unreadable, match=r"100 bytes; the limit is 99\); .* raise json_bytes in the table \[inputs\]"
    ):
        read_json(path)
    limit_inputs(toml_bytes=3)
    (tmp_path / "x.toml").write_text("a=12")
    with pytest.raises(Unreadable, match="toml_bytes"):
        read_toml(tmp_path / "x.toml")
    path.write_bytes(gzip.compress(b"1234")[:-9])
    with pytest.raises(Unreadable, match="cannot be unpacked"):
        read_text(path)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a":\n', "line 2"),
        ("[" * 100_000, "nested too deeply"),
        ("1" * 5_000, "thousands of digits"),
        (r'["half \uDBFF a sign"]', "lone surrogate"),
    ],
)
def test_what_is_no_json_that_can_be_kept(text, reason):
    with pytest.raises(Unreadable, match=reason):
        parse_json(text, "x.json")


def test_a_whole_pair_of_surrogates_is_a_character():
    assert parse_json(json.dumps(["😀"]), "x.json") == ["😀"]


@pytest.mark.parametrize(
    "text",
    [
        "a" + " = [" * 100_000,
        "a = " + "1" * 5_000,
        "a = nothing",
        "a." * 200_000 + "a = 1",
        '"=".' * 20_000 + "a = 1",
        r'"\"=".' * 20_000 + "a = 1",
    ],
)
def test_what_is_no_toml(tmp_path, text):
    (tmp_path / "x.toml").write_text(text)
    with pytest.raises(Unreadable, match="x.toml"):
        read_toml(tmp_path / "x.toml")


@pytest.mark.parametrize("text", ["Ropes hold. " * 200, "." * 200, "Contents " + ". " * 200])
def test_full_stops_of_a_text_are_no_nesting(text):
    assert parse_toml(f'text = "{text}"', "x.toml") == {"text": text}


@pytest.mark.parametrize("encoding", ["utf-9", "zlib", "undefined", "a\0b"])
def test_what_is_no_encoding(tmp_path, encoding):
    (tmp_path / "x").write_text("words")
    with pytest.raises(Unreadable, match="is no encoding"):
        read_text(tmp_path / "x", encoding)


def test_an_encoding_that_gives_half_a_character(tmp_path):
    (tmp_path / "x").write_text("+2AA-")
    with pytest.raises(Unreadable, match="half a character as utf-7"):
        read_text(tmp_path / "x", "utf-7")


def test_the_settings_set_the_limits(tmp_path, monkeypatch):
    monkeypatch.setattr("openiir.core.files._find", InputLimits)
    file = tmp_path / "openiir.toml"
    file.write_text("[inputs]\ntoml_bytes = 20\n")
    settings = load_settings(file)
    assert settings.inputs == limits() == InputLimits(toml_bytes=20)
    assert load_settings(file) == settings  # a settings file is never refused by limits of its own
    set_limits(InputLimits)
