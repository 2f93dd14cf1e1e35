"""Entries of the ledger: replies that cannot be recomputed."""

from typing import Literal

from openiir.core.records.record import Record

CallSource = Literal["model", "human", "system", "recording", "search"]
"""Where a reply came from."""


class Place(Record):
    """Position of a question in a run, independent of the order in which replies arrive."""

    lane: str
    asker: str
    """The agent or role that is asked: a persona's id, `moderator`, `extractor`."""
    kind: str
    """The question's kind, such as `panel.utter`."""
    subject: str
    """Id of the item or claim that the question is about; empty if there is none."""
    step: int
    ordinal: int
    """The nth question with this lane, asker, kind and subject in this step, from 0."""

    def __str__(self) -> str:
        subject = f" about {self.subject}" if self.subject else ""
        return (
            f"{self.kind} to {self.asker}{subject} (lane {self.lane}, step {self.step}, no. {self.ordinal})"
        )


class Call(Record):
    """One reply, accepted or malformed, with its place and request."""

    place: Place
    attempt: int
    """0 is the first answer, 1 its repair."""
    answerer: CallSource
    prompt_hash: str
    """SHA-256 of the request, without endpoint and key."""
    request: str
    """What was sent, as canonical JSON."""
    reply: str
    """The reply's text as received; a model's reasoning precedes it as `<think>...</think>`."""
    usable: bool
    """False for a reply that did not fit its question."""
    error: str | None = None
    """Why an unusable reply did not fit."""
    model: str | None = None
    """The model's name and version as the endpoint reported them."""
    prompt_tokens: int = 0
    reply_tokens: int = 0


class TransportTry(Record):
    """A request without a reply (429, 5xx, time-out, dropped connection): counted, not hashed or debited.

    With several endpoints each try names its own, and the successful one is recorded as well.
    """

    place: Place
    attempt: int
    number: int
    """The nth try of this call, from 1."""
    what: str
    """Status code or kind of failure, or `answered`; then, of several endpoints, which one in brackets."""
    waited: float
    """Seconds before the next try; 0 after the last."""
