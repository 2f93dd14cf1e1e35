"""The ledger's entries: replies that cannot be computed again."""

from typing import Literal

from openiir.core.records.record import Record

CallSource = Literal["model", "human", "system", "recording", "search"]
"""Where a reply came from."""


class Place(Record):
    """Where a question stands in a run, whatever finishes first."""

    lane: str
    asker: str
    """Who is asked: a persona's id, or a role such as `moderator` or `extractor`."""
    kind: str
    """The question's kind, such as `panel.utter`."""
    subject: str
    """What the question is about (an item, a claim); empty when it has none."""
    step: int
    ordinal: int
    """The nth question with this lane, asker, kind and subject in this step, from 0."""

    def __str__(self) -> str:
        subject = f" about {self.subject}" if self.subject else ""
        return (
            f"{self.kind} to {self.asker}{subject} (lane {self.lane}, step {self.step}, no. {self.ordinal})"
        )


class Call(Record):
    """One accepted or malformed reply, in its place."""

    place: Place
    attempt: int
    """0 is the first answer, 1 its repair."""
    answerer: CallSource
    prompt_hash: str
    """SHA-256 of everything that was sent, endpoint and key apart."""
    request: str
    """What was sent, as canonical JSON."""
    reply: str
    """The reply's text as it came."""
    usable: bool
    """False for a reply that did not fit its question."""
    error: str | None = None
    """Why it did not fit."""
    model: str | None = None
    """The model's name and version as the endpoint reported them."""
    prompt_tokens: int = 0
    reply_tokens: int = 0


class TransportTry(Record):
    """A try that brought no reply (429, 5xx, time-out, dropped connection): counted, never hashed or debited.

    Where there are several endpoints, each try names its own, and the one that brought the reply is noted as well.
    """

    place: Place
    attempt: int
    number: int
    """The nth try of this call, from 1."""
    what: str
    """Status code or kind of failure, or `answered`; then, of several endpoints, which one in brackets."""
    waited: float
    """Seconds before the next try; 0 after the last."""
