"""Questions with pictures: what each answerer is shown, and what is kept of it."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from openiir.core.asking import ExternalAnswerer, Ledger, ModelAnswerer, PlacedQuestion, RecordedAnswerer
from openiir.core.errors import InputError, ReplayDifference
from openiir.core.llm import Sampling, picture
from openiir.core.records import Image
from openiir.runs.human import people_asker

GOOD = '{"side":"for","surely":7,"why":"It pays."}'
PNG = b"\x89PNG\r\n\x1a\n one"


@pytest.fixture
def shown(put: Callable[..., PlacedQuestion], vote: Any, tmp_path: Any) -> Callable[..., PlacedQuestion]:
    """Puts the vote with a picture of these bytes."""

    @dataclass(frozen=True)
    class Seen(vote):  # type: ignore[misc]
        image: Image

        def images(self) -> tuple[Image, ...]:
            return (self.image,)

    def make(data: bytes = PNG, name: str = "fines.png") -> PlacedQuestion:
        (tmp_path / name).write_bytes(data)
        return replace(put(), question=Seen("fines", picture(tmp_path / name)))

    return make


def answered(answerer: Any, asked: PlacedQuestion) -> Any:
    return asyncio.run(answerer.answer(asked))


def test_the_picture_goes_with_the_question_and_with_its_repair(
    shown: Any, new_run: Any, scripted: Any
) -> None:
    asked, provider = shown(), scripted("No.", GOOD)
    assert answered(ModelAnswerer(Ledger(new_run()), provider, "m", Sampling()), asked).attempts == 2
    for request in provider.asked:
        (message,) = [m for m in request.messages if m.images]
        assert message.role == "user" and message.images == asked.question.images()


def test_the_record_holds_the_hash_and_neither_the_bytes_nor_the_path(
    shown: Any, new_run: Any, scripted: Any
) -> None:
    run = new_run()
    answered(ModelAnswerer(Ledger(run), scripted(GOOD), "m", Sampling()), shown())
    (call,) = run.calls()
    kept = json.loads(call.request)["messages"][-1]["images"]
    assert kept == [{"media_type": "image/png", "sha256": shown().question.image.sha256, "size": len(PNG)}]
    assert "fines.png" not in call.request and "base64" not in call.request


def test_a_replay_compares_the_picture_by_its_bytes_wherever_it_lies(
    shown: Any, new_run: Any, scripted: Any
) -> None:
    first = new_run()
    answered(ModelAnswerer(Ledger(first), scripted(GOOD), "m", Sampling()), shown())
    moved = ModelAnswerer(Ledger(new_run("moved"), first, live=False), scripted(), "m", Sampling())
    assert answered(moved, shown(name="moved.png")).reply.side == "for"
    other = ModelAnswerer(Ledger(new_run("other"), first, live=False), scripted(), "m", Sampling())
    with pytest.raises(ReplayDifference, match="asked otherwise"):
        answered(other, shown(b"\x89PNG\r\n\x1a\n two"))


def test_a_recording_answers_for_the_same_picture_alone(shown: Any, new_run: Any, scripted: Any) -> None:
    first = new_run()
    answered(ModelAnswerer(Ledger(first), scripted(GOOD), "m", Sampling()), shown())
    assert (
        answered(RecordedAnswerer(Ledger(new_run("a")), first), shown(name="moved.png")).reply.side == "for"
    )
    with pytest.raises(InputError, match="was not asked this"):
        answered(RecordedAnswerer(Ledger(new_run("b")), first), shown(b"\x89PNG\r\n\x1a\n two"))


def test_a_system_is_told_where_the_picture_is_and_its_hash(shown: Any, new_run: Any) -> None:
    got = []

    async def give(asked: PlacedQuestion, messages: Any) -> str:
        got.append(messages[-1].text)
        return GOOD

    asked, run = shown(), new_run()
    answered(ExternalAnswerer(Ledger(run), "system", give, "viewer"), asked)
    image = asked.question.images()[0]
    assert got[0].endswith(f"[picture: {image.path} (image/png, sha256 {image.sha256})]")
    (call,) = run.calls()
    assert image.path not in call.request and image.sha256 in call.request


def test_a_person_at_a_terminal_reads_the_pictures_path(
    shown: Any,
    new_run: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Any,
) -> None:
    typed = iter(["for", "7", "It pays."])
    monkeypatch.setattr("builtins.input", lambda prompt: next(typed))
    asked = shown()
    answered(ExternalAnswerer(Ledger(new_run()), "human", people_asker("terminal", tmp_path), "you"), asked)
    said = capsys.readouterr().out
    assert f"[picture: {asked.question.images()[0].path}]" in said and "JSON schema" not in said


def test_a_question_file_names_its_pictures(
    shown: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("openiir.runs.human.POLL_SECONDS", 0.001)

    async def meet() -> dict[str, Any]:
        asked = shown()
        waiting = asyncio.create_task(people_asker("file", tmp_path / "inbox")(asked, asked.messages()))
        while not (found := list((tmp_path / "inbox").glob("*.question.json"))):  # noqa: ASYNC110
            await asyncio.sleep(0.001)
        found[0].with_name(found[0].name.replace("question", "reply")).write_text(GOOD)
        await waiting
        return json.loads(found[0].read_text())

    assert asyncio.run(meet())["pictures"] == [str(tmp_path / "fines.png")]
