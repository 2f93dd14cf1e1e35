"""The floor of a panel: the last turns, who may speak next, and what the moderator knows of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from openiir.plugin import Stance
from openiir.plugin.arguments import containment, tokens
from openiir.scenarios.panel.behaviour.panelist import Panelist
from openiir.scenarios.panel.model.speaking.utterances import ClaimView
from openiir.scenarios.panel.questions.moderating import (
    CandidateFeatures,
    HeardTurn,
    SpeakerCandidate,
    first_clause,
    speaking_history,
)
from openiir.scenarios.panel.questions.prompt_parts import PanelPoint


@dataclass
class TurnTaking:
    """Turn-taking of a discussion: the turns so far, and who may speak next."""

    people: Sequence[Panelist]
    turn: int = 0
    exchange: tuple[str, str] = ("", "")
    """Ids of the last speaker and of the panelist who was answered; empty for nobody."""
    addressed: str = ""
    """Id of the panelist who is to answer the last utterance; empty for nobody."""
    heard: list[HeardTurn] = field(default_factory=list)
    recent: list[float] = field(default_factory=list)
    """Stances of the speakers of the last three utterances."""

    def may_speak(self) -> list[Panelist]:
        """List the panelists with tokens left, without the last speaker unless nobody else has any."""
        able = [p for p in self.people if not p.agent.spent]
        return [p for p in able if p.agent.id != self.exchange[0]] or able

    def spent_names(self) -> tuple[str, ...]:
        """List the names of panelists whose tokens are used up."""
        return tuple(p.agent.persona.name for p in self.people if p.agent.spent)

    def name(self, id: str) -> str:
        """Return the name by which others call a panelist."""
        return next(p.called for p in self.people if p.agent.id == id)

    def candidate(self, person: Panelist, here: bool) -> SpeakerCandidate:
        """Describe a candidate speaker to the moderator; `here` if they spoke in this round."""
        persona = person.agent.persona
        return SpeakerCandidate(
            name=persona.name,
            bio=first_clause(persona.bio),
            stands=person.stood,
            spoke=speaking_history(person.spoken, self.turn - person.last_turn + 1, here),
            answered=self.name(self.exchange[0]) if self.addressed == person.agent.id else "",
        )

    def features(self, person: Panelist, matter: str, leans: float | None) -> CandidateFeatures:
        """Compute a candidate speaker's features for the offline moderator; `leans` is their mean stance."""
        return CandidateFeatures(
            id=person.agent.id,
            spoken=person.spoken,
            waited=self.turn - person.last_turn,
            leans=leans,
            expertise=round(containment(tokens(matter), tokens(person.background)), 4),
            extraversion=person.agent.persona.big_five.extraversion,
            addressed=self.addressed == person.agent.id,
        )

    def point(self, claim: ClaimView, person: Panelist | None = None) -> PanelPoint:
        """Return a claim as a panelist recalls it."""
        own = person is not None and claim.speaker_id == person.agent.id
        quoted = any(claim.text in one.text for one in self.heard)
        return PanelPoint("You" if own else claim.speaker, claim.text, claim.asker, quoted)

    def take_turn(
        self, person: Panelist, round_: str, text: str, to: str, stance: tuple[float, Stance]
    ) -> None:
        """Record a turn; its addressee is to answer next, unless it already replies to this speaker.

        `to` is the id of the panelist answered, or empty; `stance` is the speaker's, as number and word.
        """
        speaker = person.agent.id
        self.addressed = to if self.exchange != (to, speaker) else ""
        self.exchange = (speaker, to)
        self.recent = [*self.recent, stance[0]][-3:]
        called = {p.agent.id: p.called for p in self.people} | {"": ""}
        self.heard.append(HeardTurn(person.agent.persona.name, text, stance[1], called[to]))
        person.spoken += 1
        person.last_turn = self.turn
        person.said, person.stood, person.heard = text, stance[1], len(self.heard)
        for other in self.people:
            names = called | {other.agent.id: "you"}
            other.hear(round_, len(self.heard), names[speaker], text, names[to])
