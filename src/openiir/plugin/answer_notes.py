"""Remarks on who answered each question (model, person, offline), for views of a run."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

from openiir.core.records import Event
from openiir.core.storage import AnswerCount, Log
from openiir.core.sums import int_sum
from openiir.plugin.forms import Entry
from openiir.plugin.graph_forms import Cite, Ref

_WORDS = {"human": "a person", "recording": "a recording", "system": "the system under test"}


@dataclass(frozen=True)
class AnswerNote:
    """Remarks on the answer to one question, such as a repair or a differing shadow answer."""

    asker: str
    """Agent's id or role that was asked."""
    kind: str
    ordinal: int
    """Number of earlier questions of this kind to this asker, in the same lane and step, on its subject."""
    words: tuple[str, ...]
    """Remarks, one per line; may be empty."""
    seq: int = 0
    """Log number of the question's `asked` event, by which views refer to the question."""


@dataclass
class AnswerNotes:
    """Reader of remarks on answers (repairs, failures, shadow answers), for events in the log's order."""

    log: Log
    since: int = 0
    _waiting: dict[tuple[str, int], dict[str, list[tuple[int, AnswerNote]]]] = field(init=False)
    """Notes not yet returned, by lane and step, then by asker, in the log's order: (seq, note)."""

    def __post_init__(self) -> None:
        self._mixed_kinds = _mixed_kinds(self.log.answer_counts())
        self._shadows = {
            _place_key(event): event.payload for event in self.log.events("shadow", since=self.since)
        }
        self._repairs = self.log.repairs(since=self.since)
        self._waiting = defaultdict(dict)
        for event in self.log.events("asked", since=self.since):
            payload = event.payload
            note = AnswerNote(
                event.actor or "",
                payload["question"],
                payload["ordinal"],
                tuple(self._words(event)),
                event.seq,
            )
            self._waiting[event.lane, event.step].setdefault(note.asker, []).append((event.seq, note))

    def of(self, event: Event) -> tuple[str, ...]:
        """Return remarks on the answers behind an event: since its actor's last event in lane and step."""
        return tuple(words for note in self.before(event, event.actor or "") for words in note.words)

    def entry(
        self,
        event: Event,
        actor: str | None,
        heading: str,
        text: str,
        notes: Iterable[str] = (),
        cites: Iterable[Cite] = (),
        refs: Iterable[Ref] = (),
        asker: str | None = None,
    ) -> Entry:
        """Make a timeline entry of an event, linked to the question behind it, with remarks on the answer.

        `asker` is who was asked, if not the event's actor, such as the moderator for what the platform does.
        """
        asked = self.before(event, asker or event.actor or "")
        return Entry(
            step=event.step,
            actor=actor,
            heading=heading,
            text=text,
            notes=(*notes, *(words for note in asked for words in note.words)),
            id=str(event.seq),
            seq=event.seq,
            lane=event.lane,
            agent=event.actor or "",
            kind=event.kind,
            cites=tuple(cites),
            refs=tuple(refs),
            of=str(asked[-1].seq) if asked else "",
        )

    def before(self, event: Event, asker: str | None = None) -> list[AnswerNote]:
        """Return the remarks on answers up to an event in its lane and step, perhaps of one asker."""
        waiting, found = self._waiting[event.lane, event.step], []
        for name in [asker] if asker is not None else list(waiting):
            own = waiting.get(name, [])
            past = bisect_right(own, event.seq, key=itemgetter(0))
            found += own[:past]
            waiting[name] = own[past:]
        return [note for _, note in sorted(found, key=itemgetter(0))]

    def _words(self, event: Event) -> Iterable[str]:
        payload, key = event.payload, _place_key(event)
        kind, answerer = payload["question"], payload.get("answerer", "")
        if kind in self._mixed_kinds and answerer:
            yield f"answered {_by_whom(self.log, answerer)}"
        if payload["outcome"] == "failed":
            yield f"no usable answer ({kind}): {payload.get('failure', '')}"
        elif payload.get("attempts", 1) > 1:
            yield f"repaired ({kind}): {self._repairs.get(key, 'the first reply did not fit')}"
        if key in self._shadows:
            yield from _shadow_words(self.log, self._shadows[key])


def names_with_answerers(log: Log) -> dict[str, str]:
    """Map persona ids to names, with the answerer added if personas have different ones."""
    counts = log.answer_counts()
    mixed = _mixed_kinds(counts)
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for row in counts:
        if row.kind in mixed and row.answerer:
            found[row.asker][_label(log, row.answerer)] = None
    return {
        p.id: f"{p.name} ({' and '.join(found[p.id])})" if p.id in found else p.name for p in log.personas
    }


def answer_summary(log: Log) -> str:
    """Summarise who answered in a run, most questions first, with counts of repaired and missing replies."""
    counts = [row for row in log.answer_counts() if row.answerer]
    kinds: dict[str, dict[str, int]] = defaultdict(dict)
    for row in counts:
        kinds[row.answerer][row.kind] = kinds[row.answerer].get(row.kind, 0) + row.questions
    if not kinds:
        return ""
    first, *others = sorted(kinds, key=lambda name: (-int_sum(kinds[name].values()), name))
    parts = [
        f"answered {_by_whom(log, first)}",
        *(f"{_by_whom(log, name)}: {', '.join(sorted(kinds[name]))}" for name in others),
    ]
    repaired, missing = (int_sum(getattr(row, what) for row in counts) for what in ("repaired", "failed"))
    parts += [
        f"{n} {words}" for n, words in ((repaired, "repaired"), (missing, "without a usable answer")) if n
    ]
    calls = log.model_calls()
    for part, whole, words in (
        ("cached_tokens", "prompt_tokens", "of the prompts' tokens cached"),
        ("reasoning_tokens", "reply_tokens", "of the replies' tokens reasoning"),
    ):
        few, all_of = (int_sum(getattr(one, name) for one in calls) for name in (part, whole))
        if few:
            parts.append(f"{100 * few / all_of:.0f} % {words}")
    return "; ".join(parts)


def _mixed_kinds(counts: Sequence[AnswerCount]) -> set[str]:
    """Return the kinds of question that had more than one answerer."""
    by: dict[str, set[str]] = defaultdict(set)
    for row in counts:
        by[row.kind] |= {row.answerer} - {""}
    return {kind for kind, answerers in by.items() if len(answerers) > 1}


def _label(log: Log, answerer: str) -> str:
    return str(log.study["model"]["name"]) if answerer == "model" else _WORDS.get(answerer, answerer)


def _by_whom(log: Log, answerer: str) -> str:
    return answerer if answerer == "offline" else f"by {_label(log, answerer)}"


def _shadow_words(log: Log, payload: dict[str, Any]) -> Iterable[str]:
    """Describe how the shadow answer differs, field by field."""
    acted, shadow = payload["reply"], payload["shadow_reply"]
    who = _label(log, payload["shadow"])
    if shadow is None:
        yield f"shadow ({who}): no usable answer"
    elif acted is not None:
        for name in payload["compared"]:
            if acted[name] != shadow[name]:
                was, other = _format_value(acted[name]), _format_value(shadow[name])
                yield f"{name.replace('_', ' ')}: {was}; shadow ({who}): {other}"


def _format_value(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return "none" if value is None or value == "" else str(value)


def _place_key(event: Event) -> tuple[str, str, str, str, int, int]:
    """Return the question's place, as in the ledger."""
    payload = event.payload
    return (
        event.lane,
        event.actor or "",
        payload["question"],
        payload["subject"],
        event.step,
        payload["ordinal"],
    )
