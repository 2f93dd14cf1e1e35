"""An API key goes to the endpoint and nowhere else."""

import os
from pathlib import Path

import pytest

from openiir.testing.standin import Faults

KEY = "sk-planted-0123456789-abcdefghij"
LINES = '[endpoint]\nurl = "URL"\nkey_env = "OPENIIR_TEST_KEY"\nfirst_wait = 0.001\ntries = 4\n'


def everything(folder: Path) -> bytes:
    return b"\n".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def holds(data: bytes | str) -> bool:
    raw = data if isinstance(data, bytes) else data.encode()
    spellings = (KEY.encode(), KEY[8:24].encode(), KEY.encode("utf-16-le"), KEY.encode().hex().encode())
    return any(spelling in raw for spelling in spellings)


@pytest.mark.parametrize(
    "ways",
    [
        {"key": KEY, "malformed": 0.3},
        {"key": KEY, "faults": Faults(share=0.3, most=2)},
        {"key": "another key than ours"},
        {"key": KEY, "faults": Faults(share=1.0, kinds=("garbage", "500"), most=99)},
    ],
)
def test_a_key_is_in_no_file_and_no_output(ways, by_model, served, openiir, tmp_path, monkeypatch, caplog):
    monkeypatch.setenv("OPENIIR_TEST_KEY", KEY)
    monkeypatch.setenv("OPENIIR_TRACEBACK", "")
    caplog.set_level("DEBUG")
    server, settings = served(LINES, **ways)
    done = [openiir("run", by_model, "--out", tmp_path / "run", "--settings", settings)]
    fails = ways["key"] != KEY or ("faults" in ways and ways["faults"].share == 1.0)
    assert done[0].code == (1 if fails else 0), done[0].err
    readers = (("replay",), ("show", "ratings"), ("measure",), ("resume",), ("ask", "--agent", "ada", "Why?"))
    done += [openiir(words[0], tmp_path / "run", *words[1:]) for words in readers]
    done.append(openiir("resume", tmp_path / "run", "--settings", settings))
    assert server.counts.requests > 0 or ways["key"] != KEY
    assert not holds(everything(tmp_path / "run"))
    for result in done:
        assert not holds(result.out) and not holds(result.err)
    assert not holds(caplog.text)
    assert os.environ["OPENIIR_TEST_KEY"] == KEY


def test_a_key_that_a_model_repeats_is_not_kept(by_model, served, openiir, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENIIR_TEST_KEY", KEY)
    server, settings = served(LINES)
    inner, repeated = server._service.answer, []

    def repeating(method, path, headers, content):
        fault, answer = inner(method, path, headers, content)
        head, _, body = answer.partition(b"\r\n\r\n")
        sent = headers.get("authorization", "").removeprefix("Bearer ").encode()
        told = body.replace(b'\\"text\\": \\"', b'\\"text\\": \\"' + sent + b" ").replace(
            b'"standin"', b'"' + sent + b'"'
        )
        repeated.append(told.count(sent))
        lines = [line for line in head.split(b"\r\n") if not line.lower().startswith(b"content-length")]
        length = b"Content-Length: " + str(len(told)).encode()
        return fault, b"\r\n".join([*lines, length]) + b"\r\n\r\n" + told

    server._service.answer = repeating
    ran = openiir("run", by_model, "--out", tmp_path / "run", "--settings", settings)
    assert ran.code == 0, ran.err
    assert max(repeated) >= 2, "the server repeats the key as the model's name and in what the model says"
    assert not holds(everything(tmp_path / "run"))
    replayed = openiir("replay", tmp_path / "run")
    assert replayed.content == ran.content
