import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openiir.core.hashing import canonical
from openiir.core.systems import SystemFault, read_system
from openiir.core.systems.replies import is_ignored, parse_answer, read_system_reply


def spec(**keys):
    return read_system({"connector": "http", "url": "http://127.0.0.1:1/", "response": "text"} | keys)


def read(declared, raw):
    return read_system_reply(declared, raw, declared.paths, declared.data)[0]


@pytest.mark.parametrize(
    ("response", "raw", "text"),
    [
        ("text", "  as it comes\n", "  as it comes\n"),
        ("text", '{"text": "x"}', '{"text": "x"}'),
        ("$.text", '{"text": "x"}', "x"),
        (["a.b", "$.c"], '{"c": "x"}', "x"),
        (["a", "c"], '{"a": null, "c": "x"}', "x"),
        (["a", "text"], "Message Processed", "Message Processed"),
        ("a", '{"a": ""}', ""),
        ("a", '{"a": 1.5}', "1.5"),
        ("a", '{"a": {"z": 1, "b": [true]}}', '{"b":[true],"z":1}'),
        ("items", '{"items": ["i2", "i1"]}', '["i2","i1"]'),
        ("[*].text", '[{"text": "one"}, {"image": 1}, {"text": "two"}]', "one\ntwo"),
        ("[*].text", "[]", ""),
    ],
)
def test_the_text_stands_at_the_first_path_that_leads_somewhere(response, raw, text):
    assert read(spec(response=response), raw).text == text


def test_data_is_the_whole_answer_or_the_declared_part_of_it():
    raw = '{"reply": "x", "items": [{"id": 1}]}'
    assert read(spec(response="reply"), raw).data == json.loads(raw)
    assert read(spec(response="reply", data="items[*].id"), raw).data == [1]
    assert read(spec(), "no json").data is None
    with pytest.raises(SystemFault, match=r"nothing at item: .*texts stand at \$\.reply"):
        read(spec(response="reply", data="item"), raw)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (
            "<html>" + "x" * 500,
            r"an HTML page where JSON was declared: '<html>x{194}' \.\.\. \(506 characters",
        ),
        ("Message Processed", "no JSON where JSON was declared: 'Message Processed'"),
        ("", "answered nothing where JSON was declared"),
        ('{"reply": ', "no JSON"),
        ('{"reply": NaN}', "no JSON"),
        ("[" * 100_000, "no JSON"),
        ('{"answer": {"say": "hi"}}', r"nothing at reply.*texts stand at \$\.answer\.say; correct the path"),
        ('{"reply": null}', "nothing at reply.*holds no text at all"),
    ],
)
def test_an_answer_that_is_not_as_declared_is_quoted(raw, message):
    with pytest.raises(SystemFault, match=message):
        read(spec(response="reply"), raw)


@pytest.mark.parametrize(
    ("end", "raw", "ended"),
    [
        ({"path": "done"}, '{"r": "x", "done": true}', True),
        ({"path": "done"}, '{"r": "x", "done": false}', False),
        ({"path": "done"}, '{"r": "x"}', False),
        ({"path": "intent", "value": "END"}, '{"r": "x", "intent": "END"}', True),
        ({"path": "intent", "value": "END"}, '{"r": "x", "intent": "REC"}', False),
        ({"path": "left", "value": 0}, '{"r": "x", "left": 0}', True),
        ({"text": "Goodbye"}, '{"r": "So, Goodbye!"}', True),
        ({"text": "Goodbye"}, '{"r": "goodbye", "x": "Goodbye"}', False),
    ],
)
def test_the_end_is_seen_where_it_is_declared_and_only_there(end, raw, ended):
    assert read(spec(response="r", end=end), raw).ended is ended


def test_messages_to_ignore_are_told_from_answers():
    declared = read_system(
        {"connector": "stdio", "command": "x", "response": "r", "ignore": {"path": "typing", "text": "LOG"}}
    )
    assert is_ignored(declared, '{"typing": true}')
    assert is_ignored(declared, "LOG line")
    assert not is_ignored(declared, '{"r": "x"}')


@given(st.text(st.characters(codec=None)))
def test_whatever_characters_come_they_can_be_stored(text):
    reply = read(spec(response="r"), json.dumps({"r": text}))
    assert reply.text.encode("utf-8") == text.encode("utf-8", "replace")
    assert canonical(reply).encode("utf-8")


def test_json_is_read_as_the_standard_has_it():
    assert parse_answer('{"a": "\\ud83d\\ude00 \\ud83d"}') == {"a": "😀 ?"}
    with pytest.raises(ValueError, match="Infinity is no JSON"):
        parse_answer("[Infinity]")


def test_a_byte_order_mark_is_no_mistake():
    assert read(spec(response="r"), '\ufeff{"r": "x"}').text == "x"
