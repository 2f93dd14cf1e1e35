"""Ledger records: replies from outside, which cannot be recomputed."""

from typing import Literal, NamedTuple

from openiir.core.records.record import Record

CallSource = Literal["model", "human", "system", "recording", "search"]
"""Kind of answerer that a reply came from."""


class Place(Record):
    """Ledger key of a question: its position in a run, independent of the order in which replies arrive."""

    lane: str
    asker: str
    """Agent or role that is asked: a persona's id, `moderator`, `extractor`."""
    kind: str
    """Kind of question, such as `panel.utter`."""
    subject: str
    """Id of the item or claim that the question is about; empty if there is none."""
    step: int
    ordinal: int
    """Number of earlier questions with the same lane, asker, kind, subject and step."""

    def __str__(self) -> str:
        subject = f" about {self.subject}" if self.subject else ""
        return (
            f"{self.kind} to {self.asker}{subject} (lane {self.lane}, step {self.step}, no. {self.ordinal})"
        )


class Call(Record):
    """One recorded reply, valid or malformed, with its ledger key and request."""

    place: Place
    attempt: int
    """0 for the first answer, 1 for its repair."""
    answerer: CallSource
    prompt_hash: str
    """SHA-256 of the request, without endpoint and key."""
    request: str
    """Request as canonical JSON."""
    reply: str
    """Text of the reply as received; a model's reasoning precedes it as `<think>...</think>`."""
    usable: bool
    """Whether the reply fits its question."""
    error: str | None = None
    """Why an unusable reply does not fit."""
    model: str | None = None
    """Model name and version as reported by the endpoint."""
    prompt_tokens: int = 0
    reply_tokens: int = 0


class CallDetails(NamedTuple):
    """How a model's reply came about; recorded beside its call, never hashed or part of a replay."""

    endpoint: str = ""
    """Label of the endpoint that answered; empty for a single one without a `name`."""
    form: str = ""
    """Form of `response_format` in which the endpoint took the request: see `core.llm.formats`."""
    finish: str = ""
    """Why the reply ended, as the endpoint says: `stop`, `length`, ..."""
    cached_tokens: int = 0
    """Prompt tokens that the endpoint had in its cache."""
    reasoning_tokens: int = 0
    """Reply tokens of the model's reasoning; estimated where the endpoint counts them together."""
    held: float = 0.0
    """Seconds that the request waited for limits shared with other runs."""


class TransportTry(Record):
    """A request that got no reply (429, 5xx, time-out, dropped connection): counted, not hashed or charged.

    With several endpoints each try names its own.
    """

    place: Place
    attempt: int
    number: int
    """Number of this try within its call, from 1."""
    what: str
    """Status code or kind of failure; then the endpoint in brackets if there are several."""
    waited: float
    """Seconds waited before the next try; 0 after the last."""
