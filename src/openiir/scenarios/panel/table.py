"""The state of a panel between its turns: who spoke, where everyone stands, what is open."""

from dataclasses import dataclass, field

import numpy as np

from openiir.kit import beliefs
from openiir.plugin import Agent, Claim, Said, Stage
from openiir.plugin.arguments import containment, influence, stance, strengths, tokens, unanswered
from openiir.scenarios.panel.actions import Spoke
from openiir.scenarios.panel.questions import Member
from openiir.scenarios.panel.utterances import Focus
from openiir.scenarios.panel.wording import without_openers

OPEN_CLAIMS = 5
"""Open claims the moderator is shown."""


@dataclass
class Panelist:
    """A member of the panel."""

    agent: Agent
    first: float
    """Stance at the start."""
    spoken: int = 0
    last_turn: int = 0
    looked_up: list[str] = field(default_factory=list)


@dataclass
class Table:
    """Everyone at the table, and what was said there."""

    stage: Stage
    people: list[Panelist]
    stances: np.ndarray
    turn: int = 0
    number: int = 0
    last_speaker: str | None = None
    addressed: str | None = None
    recent: list[float] = field(default_factory=list)
    new_claims: list[int] = field(default_factory=list)
    strength: dict[str, float] = field(default_factory=dict)
    influence: dict[str, float] = field(default_factory=dict)

    @classmethod
    def seat(cls, stage: Stage) -> "Table":
        """Seat the cast; a persona without a stance takes the one its bio speaks for."""
        topic = stage.config.topic
        people = [
            Panelist(a, stance(a.persona.bio, topic) if a.persona.stance is None else a.persona.stance)
            for a in stage.agents
        ]
        return cls(stage, people, np.array([p.first for p in people]))

    def person(self, name: str) -> Panelist:
        return next(p for p in self.people if p.agent.id == name)

    def stance_of(self, person: Panelist) -> float:
        return float(self.stances[self.people.index(person)])

    def may_speak(self) -> list[Panelist]:
        """Everyone with tokens left who did not speak last (whoever is left alone may go on)."""
        able = [p for p in self.people if not p.agent.spent]
        others = [p for p in able if p.agent.id != self.last_speaker]
        return others or able

    def members(self, matter: str) -> tuple[Member, ...]:
        """The candidates as the moderator sees them."""
        wanted = tokens(matter)
        return tuple(
            Member(
                id=p.agent.id,
                name=p.agent.persona.name,
                spoken=p.spoken,
                waited=self.turn - p.last_turn,
                leans=self._leans(p.agent.id),
                expertise=round(containment(wanted, tokens(_background(p.agent))), 4),
                extraversion=p.agent.persona.big_five.extraversion,
                addressed=self.addressed == p.agent.id,
            )
            for p in self.may_speak()
        )

    def _leans(self, name: str) -> float | None:
        stances = [c.stance for c in self.stage.claims if c.speaker == name]
        return round(sum(stances) / len(stances), 4) if stances else None

    def open_claims(self) -> list[Focus]:
        """Claims nobody answered yet, those that move the debate's balance most first, ties by id."""
        answered = {edge.target for edge in self.stage.edges}
        waiting = [c for c in self.stage.claims if c.id not in answered]
        waiting.sort(key=lambda c: (-abs(self.influence.get(c.id, 0.0)), c.id))
        return [self.focus(c) for c in waiting[:OPEN_CLAIMS]]

    def focus(self, claim: Claim) -> Focus:
        return Focus(
            id=claim.id,
            text=claim.text,
            speaker=self.person(claim.speaker).agent.persona.name,
            speaker_id=claim.speaker,
            stance=claim.stance,
            strength=round(self.strength.get(claim.id, 0.5), 4),
            cited=bool(claim.cites),
        )

    def best_argument(self, stance: float) -> float:
        """Strength of the strongest claim on a side."""
        same = [self.strength.get(c.id, 0.5) for c in self.stage.claims if c.stance * stance > 0]
        return round(max(same, default=0.0), 4)

    def counters_answered(self) -> bool:
        counters = [e for e in self.stage.edges if e.type == "counters"]
        return bool(counters) and not unanswered(self.stage.claims, self.stage.edges, "counters")

    async def spoke(self, person: Panelist, spoke: Spoke) -> None:
        """Put an utterance on the table: log it, extract its claims, move the stances."""
        stage = self.stage
        words = without_openers(spoke.text) if stage.config.blind else spoke.text
        claims = await stage.extract(
            Said(words, person.agent.id, spoke.number, stage.config.topic, spoke.address or None, spoke.cites)
        )
        stage.act(person.agent, spoke.model_copy(update={"claims": tuple(c.id for c in claims)}))
        self.strength = strengths(stage.claims, stage.edges)
        self.influence = influence(stage.claims, stage.edges)
        self.new_claims.append(len(claims))
        self.recent = [*self.recent, spoke.stance][-3:]
        person.spoken += 1
        person.last_turn = self.turn
        self.last_speaker = person.agent.id
        self.addressed = self._author(spoke.address)
        self._move(person, claims)

    def _author(self, claim: str) -> str | None:
        return next((c.speaker for c in self.stage.claims if c.id == claim), None)

    def _move(self, speaker: Panelist, claims: list[Claim]) -> None:
        config = self.stage.config
        row = self.people.index(speaker)
        said = [beliefs.Said(row, c.stance, self.strength[c.id]) for c in claims]
        influences = np.array([p.agent.persona.influence for p in self.people])
        weights = np.minimum(np.ones((len(self.people), 1)) * influences, 1.0 / max(config.mu, 1e-9))
        self.stances = beliefs.step(
            config.dynamics,
            self.stances,
            [p.first for p in self.people],
            weights,
            said,
            beliefs.Rule(config.mu, config.epsilon, config.phi),
            self.stage.draw("panel.dynamics"),
        )
        self.record()

    def record(self) -> None:
        """Write where everyone stands into this step's table of stances."""
        for person, value in zip(self.people, self.stances, strict=True):
            self.stage.row(
                "stances",
                step=self.stage.step,
                utterance=self.number,
                persona=person.agent.id,
                stance=float(value),
                tokens_left=person.agent.budget.tokens,
            )


def _background(agent: Agent) -> str:
    return f"{agent.persona.bio} {' '.join(agent.persona.interests)}"
