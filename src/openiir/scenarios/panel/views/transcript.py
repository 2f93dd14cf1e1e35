"""The transcript of a panel: everything said and decided, in order, with the passages cited."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from openiir.kit.prompting import count_noun
from openiir.plugin import Action, AnswerNotes, Cite, Entry, Event, Log, Ref
from openiir.scenarios.panel.questions.lookup import LookUp
from openiir.scenarios.panel.questions.speaking import PanelSpeech
from openiir.scenarios.panel.run.actions import (
    Estimated,
    Passed,
    Pitched,
    RankedIdeas,
    RankingOutcome,
    RoundClosed,
    RoundOpened,
    Spoke,
    SweepFeedback,
    Voted,
)

MODERATOR = "moderator"
"""Role that is asked who speaks next, and whether a round ends."""


def transcript(log: Log, since: int = 0, agent: str | None = None) -> list[Entry]:
    """List the events of the panel in order, or one panelist's part."""
    names = {p.id: p.name for p in log.personas}
    chunks = {c.id: c for c in log.chunks()}
    titles = _titles(sorted({c.source for c in chunks.values()}))
    answers = AnswerNotes(log, since)
    happened: list[tuple[Event, Action | None, tuple[str, str]]] = [
        (event, action, words(action))
        for kind, words in WORDS.items()
        for event, action in kind.read(log, since=since)
    ]
    happened += [
        (event, None, ("gives no usable answer", event.payload["question"]))
        for event in log.events("asked", since=since)
        if event.actor in names and event.payload["outcome"] == "failed"
        if event.payload["question"] not in (PanelSpeech.kind, LookUp.kind)  # which another entry reports
    ]
    made: defaultdict[int, list[Ref]] = defaultdict(list)
    for claim in log.claims():
        made[claim.utterance].append(Ref(to="claim", id=claim.id))
    pitched = {action.idea: str(event.seq) for event, action in Pitched.read(log)}
    entries = []
    for event, action, (heading, text) in sorted(happened, key=lambda one: one[0].seq):
        if agent not in (None, event.actor):
            continue
        cites = []
        for c in getattr(action, "cites", ()):
            chunk = chunks[c.chunk]
            place = f"characters {chunk.start + c.start} to {chunk.start + c.end}"
            label = f"[{c.chunk}] {titles[chunk.source]}, {place}"
            cites.append(Cite(world=chunk.world, chunk=c.chunk, start=c.start, end=c.end, label=label))
        name = names.get(event.actor) if event.actor else None
        asker = MODERATOR if isinstance(action, RoundClosed) else None
        refs = _refs(action, made, pitched)
        entries.append(answers.entry(event, name, heading, text, cites=cites, refs=refs, asker=asker))
    return entries


def _refs(
    action: Action | None, made: Mapping[int, Sequence[Ref]], pitched: Mapping[str, str]
) -> Iterator[Ref]:
    """Yield references to the claims made and addressed by an utterance, and to the pitches of ideas."""
    if isinstance(action, Spoke):
        yield from made[action.number]
        if action.address:
            yield Ref(to="claim", id=action.address, label=f"addresses claim {action.address}")
    ideas: tuple[str, ...] = ()
    match action:
        case Pitched():
            ideas = (action.merged_into or "",)
        case Voted():
            ideas = (action.idea,)
        case RankedIdeas():
            ideas = action.order
        case RankingOutcome():
            ideas = action.ideas
    yield from (Ref(to="entry", id=pitched[idea], label=f"idea {idea}") for idea in ideas if idea in pitched)


def _titles(sources: Sequence[str]) -> dict[str, str]:
    """Name each source by its file's name, or by its whole path where another source has the same name."""
    names = Counter(source.rpartition("/")[2] for source in sources)
    return {s: s if "://" in s or names[s.rpartition("/")[2]] > 1 else s.rpartition("/")[2] for s in sources}


def _feedback_words(action: SweepFeedback) -> tuple[str, str]:
    middle = f"median {action.median:g}, the middle half from {action.low:g} to {action.high:g}"
    if action.p is None or action.iqr_change is None:
        return "feedback", f"{middle}."
    state = "stable" if action.stable else "not stable yet"
    change = f"quartile range {action.iqr_change:+.2f} on a scale of 10"
    return "feedback", f"{middle}; {state} (Wilcoxon p = {action.p:.3f}, {change})."


def _outcome_words(action: RankingOutcome) -> tuple[str, str]:
    ranked = ", ".join(f"{n} ({p:g})" for n, p in zip(action.ideas, action.points, strict=True)) or "nothing"
    short = f"; {action.shortfall} fewer than wanted" if action.shortfall else ""
    return "what remains", f"by Borda points: {ranked}{short}. By coverage: {', '.join(action.by_coverage)}."


def _pitch_words(action: Pitched) -> tuple[str, str]:
    same = f", the same as {action.merged_into}" if action.merged_into else ""
    return f"pitches {action.idea}: {action.title}{same}", action.text


WORDS: Mapping[type[Action], Callable[[Any], tuple[str, str]]] = {
    RoundOpened: lambda one: (one.name, one.goal),
    RoundClosed: lambda one: (one.name, f"closed after {count_noun(one.turns, 'turn')}: {one.reason}"),
    Spoke: lambda one: (f"{one.act} to {one.address}" if one.address else one.act, one.text),
    Passed: lambda one: ("passes", one.reason),
    Estimated: lambda one: (f"estimates {one.value} of 100", one.reason or "(no further reason)"),
    SweepFeedback: _feedback_words,
    Pitched: _pitch_words,
    Voted: lambda one: (f"{'keeps' if one.keep else 'kills'} {one.idea}", one.reason or "(no reason given)"),
    RankedIdeas: lambda one: ("ranks", ", ".join(one.order)),
    RankingOutcome: _outcome_words,
}
"""Functions that write the heading and text of an entry, by kind of action."""
KINDS = tuple(WORDS)
