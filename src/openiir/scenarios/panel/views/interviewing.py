"""Interviews after the panel, answered from what a panelist said, did, thought and heard."""

from collections.abc import Iterator

from openiir.kit.interviewing import look_back
from openiir.plugin import EpisodicMemory, Interview, Log, Persona
from openiir.scenarios.panel.behaviour.panelist import ADDRESSED, HALF_LIFE, OWN
from openiir.scenarios.panel.model.speaking.citations import strip_marks
from openiir.scenarios.panel.questions.estimating import SCALE
from openiir.scenarios.panel.questions.ideas import vote_memory
from openiir.scenarios.panel.questions.prompt_parts import call_by_name, utterance_words
from openiir.scenarios.panel.questions.speaking import AfterPanel
from openiir.scenarios.panel.run.actions import Estimated, Pitched, Spoke, Voted

Lived = tuple[int, int, str, float]
"""A memory: step, position in the step, text, importance."""


def interview(log: Log, persona: Persona, asked: str) -> AfterPanel:
    """Build the interview question to one panelist, from its own part and what it heard."""
    memory = EpisodicMemory(persona.memory, half_life=HALF_LIFE)
    lived = (*_own_memories(log, persona.id), *_remembered_talk(log, persona.id))
    for _, _, text, importance in sorted(lived):
        memory.store(text, importance)
    claims = tuple(c.text for c in log.claims() if c.speaker == persona.id)
    part = f"You took part in a panel on the motion: {log.study['config']['topic']}"
    return AfterPanel(part, look_back(memory, asked), asked, claims)


def _own_memories(log: Log, who: str) -> Iterator[Lived]:
    """Yield a panelist's own thoughts, estimates and votes as memories."""
    for row in log.table("memories"):
        if row["persona"] == who:
            yield row["step"], -1, row["text"], OWN
    for event, given in Estimated.read(log, actor=who):
        why = f': "{strip_marks(given.reason)}"' if given.reason else ""
        yield event.step, event.seq, f"in the round {given.round} you gave {given.value} of {SCALE}{why}", OWN
    titles = {pitched.idea: pitched.title for _, pitched in Pitched.read(log)}
    for event, vote in Voted.read(log, actor=who):
        yield event.step, event.seq, vote_memory(titles[vote.idea], vote.keep, vote.reason), OWN


def _remembered_talk(log: Log, who: str) -> Iterator[Lived]:
    """Yield utterances and pitched ideas, which everybody heard, as memories."""
    cast = log.personas
    names = {one.id: "you" if one.id == who else call_by_name(one, cast) for one in cast}
    own = {claim.id for claim in log.claims() if claim.speaker == who}
    for event, spoke in Spoke.read(log):
        importance = OWN if event.actor == who else ADDRESSED if spoke.address in own else 0.0
        text = utterance_words(spoke.round, names[event.actor or ""], strip_marks(spoke.text))
        yield event.step, event.seq, text, importance
    for event, idea in Pitched.read(log):
        text = f'{names[event.actor or ""]} pitched the idea "{idea.title}": {strip_marks(idea.text)}'
        yield event.step, event.seq, text, OWN * (event.actor == who)


def statements(log: Log, agent: str) -> list[tuple[str, str]]:
    """List a persona's claims, for its participant to agree or disagree with."""
    return [(c.id, c.text) for c in log.claims() if c.speaker == agent]


_HEARD = frozenset({Spoke.kind, Pitched.kind})
INTERVIEW = Interview(
    "chat", "Ask a panelist about what they said and heard", interview, statements, heard=_HEARD
)
