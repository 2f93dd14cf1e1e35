"""Let people answer questions: at the terminal, one question at a time, or by files in a folder."""

import asyncio
import json
import select
import sys
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from openiir.core.asking import PlacedQuestion, question_schema, read_reply
from openiir.core.errors import InputError, UnusableAnswer
from openiir.core.records import Message
from openiir.runs.terminal import print_result, read_line

Give = Callable[[PlacedQuestion, tuple[Message, ...]], Awaitable[str]]
POLL_SECONDS = 0.2


def people_asker(where: str, inbox: Path) -> Give:
    """Return the function that puts questions to people, at the `terminal` or through a `file`."""
    return _Inbox(inbox) if where == "file" else _Terminal()


class _Terminal:
    """Asks people at the terminal, one question at a time; the reply is read field by field."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._left = threading.Event()

    async def __call__(self, asked: PlacedQuestion, messages: tuple[Message, ...]) -> str:
        async with self._turn:
            try:
                return await asyncio.to_thread(self._ask, asked, messages)
            except asyncio.CancelledError:
                self._left.set()
                raise

    def _ask(self, asked: PlacedQuestion, messages: tuple[Message, ...]) -> str:
        print_result(f"\n--- {asked.place.asker}, you are asked ({asked.place.kind}) ---")
        print_result(asked.question.facts_only.prompt())
        for image in asked.question.facts_only.images():
            print_result(f"[picture: {image.path}]")
        if messages[-1].text != asked.messages()[-1].text:
            print_result(f"\n{messages[-1].text}")
        while True:
            reply = json.dumps(self._fields(question_schema(asked.question)), ensure_ascii=False)
            problem = _problem(reply, asked)
            if problem is None:
                return reply
            print_result(f"That cannot be used: {problem}. Please answer again.")

    def _fields(self, schema: dict[str, Any]) -> dict[str, object]:
        answers: dict[str, object] = {}
        for name, field in schema.get("properties", {}).items():
            typed = self._field(name, field, name in schema.get("required", []))
            if typed != "":
                answers[name] = typed
                if field.get("type") != "string":
                    with suppress(ValueError):
                        answers[name] = json.loads(typed)
        return answers

    def _field(self, name: str, field: dict[str, object], required: bool) -> str:
        choices = field.get("enum")
        listed = " | ".join(map(str, choices)) if isinstance(choices, list) else ""
        hint = listed or field.get("description") or field.get("type") or "JSON"
        try:
            return self._line(f"{name} ({hint}{'' if required else ', may be left empty'}): ").strip()
        except EOFError:
            raise InputError(
                "a person is to answer here, but there is no terminal to ask at; "
                'run it at one, or set human = "file" in the settings'
            ) from None

    def _line(self, prompt: str) -> str:
        """Read a typed line; at a terminal by polling, so that Ctrl-C can end the wait (unlike `input`)."""
        if sys.stdin is not None and sys.stdin.isatty():
            print_result(prompt, end="")
            prompt = ""
            while not select.select([sys.stdin], [], [], POLL_SECONDS)[0]:
                if self._left.is_set():
                    raise EOFError
        return read_line(prompt)


class _Inbox:
    """Asks people by files: writes `inbox/NAME.question.json` and waits for `inbox/NAME.reply.json`.

    A reply that does not fit is set aside as `NAME.rejected.json`, with what is wrong in `NAME.problem.txt`.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    async def __call__(self, asked: PlacedQuestion, messages: tuple[Message, ...]) -> str:
        p = asked.place
        parts = (p.lane, p.asker, p.kind, p.subject, str(p.step), str(p.ordinal), str(len(messages)))
        name = "-".join(part.replace("/", "_") for part in parts if part)
        self.folder.mkdir(parents=True, exist_ok=True)
        question, reply = self.folder / f"{name}.question.json", self.folder / f"{name}.reply.json"
        body: dict[str, Any] = {
            "messages": [m.model_dump() for m in messages],
            "reply_schema": question_schema(asked.question),
        }
        if pictures := [image.path for image in asked.question.facts_only.images()]:
            body["pictures"] = pictures
        partial = question.with_suffix(".part")
        partial.write_text(json.dumps(body, indent=1, ensure_ascii=False), encoding="utf-8")
        partial.replace(question)
        while True:
            while not reply.is_file():  # noqa: ASYNC110  a file has no event to wait for
                await asyncio.sleep(POLL_SECONDS)
            text = reply.read_text(encoding="utf-8", errors="replace")
            problem = _problem(text, asked)
            if problem is None:
                return text
            (self.folder / f"{name}.problem.txt").write_text(problem + "\n", encoding="utf-8")
            reply.replace(self.folder / f"{name}.rejected.json")


def _problem(reply: str, asked: PlacedQuestion) -> str | None:
    """Return what is wrong with a person's reply; None where it fits the question."""
    try:
        read_reply(reply, asked.question)
    except UnusableAnswer as unusable:
        return str(unusable)
    return None
