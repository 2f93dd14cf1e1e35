"""Who answers: a behaviour model, a language model, a person, a system under test, or a recording."""

import json
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Literal, Protocol

from openiir.core.asking.asked import Answer, Asked, schema_for
from openiir.core.asking.ledger import Judge, Ledger, Received
from openiir.core.asking.reading import Reading, repair_messages
from openiir.core.errors import InputError
from openiir.core.hashing import canonical
from openiir.core.llm import Provider, Request, Sampling, estimated_tokens, reporting, tokens_of
from openiir.core.records import Call, CallSource, Image, Message, Record
from openiir.core.storage import RunFile

ATTEMPTS = 2
"""A malformed reply is asked for once more; then the failure is recorded and the type handles it."""


class Answerer(Protocol):
    """Gives the answer to a question in its place."""

    name: str
    label: str
    """What answers, for a record: the model's name, the system's."""

    @property
    def waits(self) -> bool:
        """Whether an answer may have to be waited for, so that many are best asked for at the same time."""
        ...

    async def answer(self, asked: Asked) -> Answer: ...


class Offline:
    """The question's own behaviour model; computed anew on replay, priced by its words."""

    name = label = "offline"
    waits = False

    async def answer(self, asked: Asked) -> Answer:
        return self.wrap(asked.question.offline(asked.draw))

    def wrap(self, reply: Any) -> Answer:
        """An offline reply with its price."""
        return Answer(reply=reply, answerer=self.name, reply_tokens=tokens_of(_words(vars(reply).values())))


class Recorded(ABC):
    """What model, human, system and recorded answers share: the ledger, the reading, the one repair."""

    name: str
    label: str

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger

    @property
    def waits(self) -> bool:
        return self.ledger.live

    async def answer(self, asked: Asked) -> Answer:
        """The reply that fits, or the failure with its reason where neither the answer nor its repair does."""
        prompt = messages = asked.messages()
        prompt_tokens = reply_tokens = 0
        for attempt in range(ATTEMPTS):
            reading = Reading(asked.question)
            call = await self._call(asked, attempt, messages, reading)
            prompt_tokens += call.prompt_tokens
            reply_tokens += call.reply_tokens
            if call.error is None or reading.failed:
                return Answer(reading.reply, self.name, reply_tokens, prompt_tokens, attempt + 1, call.error)
            messages = repair_messages(prompt, call.reply, call.error)
        return Answer(None, self.name, reply_tokens, prompt_tokens, ATTEMPTS, call.error)

    @abstractmethod
    async def _call(self, asked: Asked, attempt: int, messages: tuple[Message, ...], judge: Judge) -> Call:
        """The reply at this place and attempt, through the ledger."""


class Model(Recorded):
    """A language model behind a provider."""

    name = "model"

    def __init__(self, ledger: Ledger, provider: Provider, model: str, sampling: Sampling) -> None:
        super().__init__(ledger)
        self.provider = provider
        self.label = f"model:{model}"
        self.model = model
        self.sampling = sampling

    async def _call(self, asked: Asked, attempt: int, messages: tuple[Message, ...], judge: Judge) -> Call:
        seed = asked.draw.bits(item=f"{asked.draw.item}\x1f{attempt}") & 0x7FFFFFFF
        request = Request(
            model=self.model,
            messages=messages,
            sampling=self.sampling.model_copy(update={"seed": seed}),
            schema=schema_for(asked.question),
            schema_name=asked.question.kind.replace(".", "_").replace("-", "_"),
        )

        async def send(on_try: Callable[[int, str, float], None]) -> Received:
            with reporting(on_try):
                reply = await self.provider.complete(request)
            return Received(reply.text, reply.model, reply.prompt_tokens, reply.reply_tokens, reply.endpoint)

        return await self.ledger.reply(asked.place, attempt, "model", request.plain(), send, judge)


class Outside(Recorded):
    """A person or a system under test: anything that takes a prompt and gives a text."""

    def __init__(
        self,
        ledger: Ledger,
        name: Literal["human", "system"],
        give: Callable[[Asked, tuple[Message, ...]], Awaitable[str]],
        label: str,
    ) -> None:
        super().__init__(ledger)
        self.name = name
        self.source: CallSource = name
        self.give = give
        self.label = label

    async def _call(self, asked: Asked, attempt: int, messages: tuple[Message, ...], judge: Judge) -> Call:
        request = _recorded(self.label, asked, messages)

        async def send(on_try: Callable[[int, str, float], None]) -> Received:
            with reporting(on_try):
                text = await self.give(asked, _told(messages) if self.name == "system" else messages)
            return Received(text, self.label, 0, estimated_tokens(text))

        return await self.ledger.reply(asked.place, attempt, self.source, request, send, judge)


class Recording(Recorded):
    """The replies of an earlier run, where it was asked the same at the same place."""

    name = label = "recording"

    def __init__(self, ledger: Ledger, recorded: RunFile) -> None:
        super().__init__(ledger)
        self.recorded = recorded

    async def _call(self, asked: Asked, attempt: int, messages: tuple[Message, ...], judge: Judge) -> Call:
        words = asked.question.says()
        prompted = _recorded("recording", asked, messages)
        request = prompted if words is None else said_alone("recording", asked, words)

        async def send(on_try: Callable[[int, str, float], None]) -> Received:
            found = self.recorded.find_call(asked.place, attempt)
            if found is None or not _asks_the_same(json.loads(found.request), prompted | request):
                raise InputError(
                    f"the recording {self.recorded.folder} was not asked this: {asked.place}; "
                    "let another answerer take questions of this kind, or record them first"
                )
            return Received(found.reply, found.model, found.prompt_tokens, found.reply_tokens)

        return await self.ledger.reply(asked.place, attempt, "recording", request, send, judge)


def _recorded(to: str, asked: Asked, messages: tuple[Message, ...]) -> dict[str, Any]:
    """What is kept of a request to somebody outside: the prompt, and the question's own values where it has any."""
    return {"to": to, "messages": [m.model_dump() for m in messages], **_values(asked)}


def said_alone(to: str, asked: Asked, words: str) -> dict[str, Any]:
    """What is kept of a turn of a dialogue: the words said, without the history, which is on record turn by turn."""
    return {"to": to, "said": words, **_values(asked)}


def _values(asked: Asked) -> dict[str, Any]:
    values = asked.question.request()
    return {"values": json.loads(canonical(values))} if values else {}


def _asks_the_same(recorded: dict[str, Any], request: dict[str, Any]) -> bool:
    """A turn that a system heard is compared by its words; a model's record has no values, so by the prompt alone."""
    key, values = "said" if "said" in recorded else "messages", request.get("values")
    return bool(recorded[key] == request.get(key) and recorded.get("values", values) == values)


def _told(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """Messages whose pictures are named in their text, for systems that take text; the record names no path."""
    return tuple(
        m.model_copy(update={"text": "\n".join([m.text, *map(_named, m.images)])}) if m.images else m
        for m in messages
    )


def _named(image: Image) -> str:
    return f"[picture: {image.path} ({image.media_type}, sha256 {image.sha256})]"


def _words(values: Iterable[Any]) -> int:
    """How many words a reply's values have: those of its strings, and one a number, without the JSON around them."""
    count = 0
    for value in values:
        if isinstance(value, str):
            count += len(value.split())
        elif value is None:
            continue
        elif isinstance(value, (int, float)):
            count += 1
        elif isinstance(value, (list, tuple)):
            count += _words(value)
        elif isinstance(value, Record):
            count += _words(vars(value).values())
        else:
            count += _words(value.values()) if isinstance(value, dict) else 1
    return count
