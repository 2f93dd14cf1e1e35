"""Ledger records: replies from outside, which cannot be recomputed."""

from typing import Literal

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


class TransportTry(Record):
    """A request that got no reply (429, 5xx, time-out, dropped connection): counted, not hashed or charged.

    With several endpoints each try names its own, and the successful one is recorded as well.
    """

    place: Place
    attempt: int
    number: int
    """Number of this try within its call, from 1."""
    what: str
    """Status code, kind of failure, or `answered`; then the endpoint in brackets if there are several."""
    waited: float
    """Seconds waited before the next try; 0 after the last."""
