"""Answerers of questions: behaviour model, language model, person, system under test, recording."""

import json
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Literal, Protocol, cast

from openiir.core.asking.ledger import Ledger, ReceivedReply, Send
from openiir.core.asking.placed_question import Answer, PlacedQuestion
from openiir.core.asking.reading import CUT_IN_THOUGHT, ReplyValidator, repair_messages
from openiir.core.asking.reply_schema import question_schema
from openiir.core.errors import InputError
from openiir.core.hashing import canonical
from openiir.core.llm import Provider, Request, Sampling, estimated_tokens, tokens_for_words, with_reasoning
from openiir.core.records import Call, CallSource, Image, Message, Record
from openiir.core.storage import RunFile
from openiir.core.transport import listen_to_tries

ATTEMPTS = 2
"""Most requests for one answer: a malformed reply is repaired once, then recorded as a failure."""
REPAIR_TOKENS = 4_096
"""Most tokens to repair a truncated reply, which gets twice the study's limit; endpoints may refuse more."""

_MORE_TOKENS = (
    " (raise max_tokens in the study's [model], or lower the model's reasoning there, as by "
    'extra = { reasoning_effort = "low" })'
)


class Answerer(Protocol):
    """Interface of an answerer: anything that can answer an agent's question."""

    name: str
    label: str
    """Name in the record, such as the model's or system's name."""

    @property
    def waits(self) -> bool:
        """Whether answers take time to arrive, so that a batch should be asked concurrently."""
        ...

    async def answer(self, asked: PlacedQuestion) -> Answer: ...


class OfflineAnswerer:
    """Answerer by the question's behaviour model; recomputed on replay, charged by the reply's words."""

    name = label = "offline"
    waits = False

    async def answer(self, asked: PlacedQuestion) -> Answer:
        return self.wrap(asked.question.offline(asked.draw))

    def wrap(self, reply: Any) -> Answer:
        """Wrap an offline reply as an answer with its token count."""
        return Answer(
            reply=reply, answerer=self.name, reply_tokens=tokens_for_words(_count_words(vars(reply).values()))
        )


class LedgerAnswerer(ABC):
    """Base class of answerers with recorded replies: reads the ledger, parses, requests one repair."""

    name: str
    label: str

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger

    @property
    def waits(self) -> bool:
        return self.ledger.live

    async def answer(self, asked: PlacedQuestion) -> Answer:
        """Return a valid reply; if its repair is invalid too, an answer with the failure's reason."""
        prompt = messages = asked.messages()
        prompt_tokens = reply_tokens = 0
        call: Call | None = None
        for attempt in range(ATTEMPTS):
            reading = ReplyValidator(asked.question)
            request, send = self._request(asked, attempt, messages, call)
            call = await self.ledger.reply(
                asked.place, attempt, cast(CallSource, self.name), request, send, reading
            )
            prompt_tokens += call.prompt_tokens
            reply_tokens += call.reply_tokens
            if call.error is None or reading.failed:
                return Answer(reading.reply, self.name, reply_tokens, prompt_tokens, attempt + 1, call.error)
            messages = repair_messages(prompt, call.reply, call.error)
        failure = call.error if call else None
        if failure == CUT_IN_THOUGHT:
            failure += _MORE_TOKENS
        return Answer(None, self.name, reply_tokens, prompt_tokens, ATTEMPTS, failure)

    @abstractmethod
    def _request(
        self, asked: PlacedQuestion, attempt: int, messages: tuple[Message, ...], unusable: Call | None
    ) -> tuple[dict[str, Any], Send]:
        """Build the request to record and the function that sends it; `unusable` is the reply to repair."""


class ModelAnswerer(LedgerAnswerer):
    """Answerer that asks a language model through a provider."""

    name = "model"

    def __init__(self, ledger: Ledger, provider: Provider, model: str, sampling: Sampling) -> None:
        super().__init__(ledger)
        self.provider = provider
        self.label = f"model:{model}"
        self.model = model
        self.sampling = sampling

    def _request(
        self, asked: PlacedQuestion, attempt: int, messages: tuple[Message, ...], unusable: Call | None
    ) -> tuple[dict[str, Any], Send]:
        seed = asked.draw.bits(item=f"{asked.draw.item}\x1f{attempt}") & 0x7FFFFFFF
        request = Request(
            model=self.model,
            messages=messages,
            sampling=self.sampling.model_copy(
                update={"seed": seed, "max_tokens": self._most_tokens(unusable)}
            ),
            schema=question_schema(asked.question),
            schema_name=asked.question.kind.replace(".", "_").replace("-", "_"),
        )

        async def send(on_try: Callable[[int, str, float], None]) -> ReceivedReply:
            with listen_to_tries(on_try):
                reply = await self.provider.complete(request)
            kept = with_reasoning(reply.text, reply.reasoning)
            return ReceivedReply(kept, reply.model, reply.prompt_tokens, reply.reply_tokens, reply.details)

        return request.plain(), send

    def _most_tokens(self, unusable: Call | None) -> int | None:
        """Return the token limit of a request: the study's, doubled to repair a reply that reached it."""
        most = self.sampling.max_tokens
        if most is not None and unusable is not None and unusable.error == CUT_IN_THOUGHT:
            return 2 * most
        cut = most is not None and unusable is not None and unusable.reply_tokens >= most
        return max(most, min(2 * most, REPAIR_TOKENS)) if most is not None and cut else most


class ExternalAnswerer(LedgerAnswerer):
    """Answerer that passes the prompt to a person or a system under test and gets a text back."""

    def __init__(
        self,
        ledger: Ledger,
        name: Literal["human", "system"],
        give: Callable[[PlacedQuestion, tuple[Message, ...]], Awaitable[str]],
        label: str,
    ) -> None:
        super().__init__(ledger)
        self.name = name
        self.give = give
        self.label = label

    def _request(
        self, asked: PlacedQuestion, attempt: int, messages: tuple[Message, ...], unusable: Call | None
    ) -> tuple[dict[str, Any], Send]:
        async def send(on_try: Callable[[int, str, float], None]) -> ReceivedReply:
            with listen_to_tries(on_try):
                text = await self.give(asked, _name_pictures(messages) if self.name == "system" else messages)
            return ReceivedReply(text, self.label, 0, estimated_tokens(text))

        return _prompt_request(self.label, asked, messages), send


class RecordedAnswerer(LedgerAnswerer):
    """Answerer that replays the replies of an earlier run to the same questions at the same points."""

    name = label = "recording"

    def __init__(self, ledger: Ledger, recorded: RunFile) -> None:
        super().__init__(ledger)
        self.recorded = recorded

    def _request(
        self, asked: PlacedQuestion, attempt: int, messages: tuple[Message, ...], unusable: Call | None
    ) -> tuple[dict[str, Any], Send]:
        words = asked.question.facts_only.says()
        prompted = _prompt_request("recording", asked, messages)
        request = prompted if words is None else turn_request("recording", asked, words)

        async def send(on_try: Callable[[int, str, float], None]) -> ReceivedReply:
            found = self.recorded.find_call(asked.place, attempt)
            if found is None or not _asks_the_same(json.loads(found.request), prompted | request):
                raise InputError(
                    f"the recording {self.recorded.folder} was not asked this: {asked.place}; "
                    "let another answerer take questions of this kind, or record them first"
                )
            return ReceivedReply(found.reply, found.model, found.prompt_tokens, found.reply_tokens)

        return request, send


def _prompt_request(to: str, asked: PlacedQuestion, messages: tuple[Message, ...]) -> dict[str, Any]:
    """Build the recorded request to a person or system: the prompt, and the question's own values if any."""
    return {"to": to, "messages": [m.model_dump() for m in messages], **_own_values(asked)}


def turn_request(to: str, asked: PlacedQuestion, words: str) -> dict[str, Any]:
    """Build the recorded request of a dialogue turn: the user's words; earlier records hold the history."""
    return {"to": to, "said": words, **_own_values(asked)}


def _own_values(asked: PlacedQuestion) -> dict[str, Any]:
    values = asked.question.facts_only.request()
    return {"values": json.loads(canonical(values))} if values else {}


def _asks_the_same(recorded: dict[str, Any], request: dict[str, Any]) -> bool:
    """Whether two requests are equal, by a turn's words or else by prompt, and by values if recorded."""
    key, values = "said" if "said" in recorded else "messages", request.get("values")
    return bool(recorded[key] == request.get(key) and recorded.get("values", values) == values)


def _name_pictures(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """Append the pictures' paths to messages for text-only systems; the recorded request omits them."""

    def line(image: Image) -> str:
        return f"[picture: {image.path} ({image.media_type}, sha256 {image.sha256})]"

    return tuple(
        m.model_copy(update={"text": "\n".join([m.text, *lines])}) if (lines := [*map(line, m.images)]) else m
        for m in messages
    )


def _count_words(values: Iterable[Any]) -> int:
    """Count the words of a reply's values: words of its texts, and one per number."""
    count = 0
    for value in values:
        inner = vars(value) if isinstance(value, Record) else value
        if isinstance(inner, str):
            count += len(inner.split())
        elif isinstance(inner, (list, tuple, dict)):
            count += _count_words(inner.values() if isinstance(inner, dict) else inner)
        else:
            count += inner is not None
    return count
