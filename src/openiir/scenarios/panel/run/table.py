"""The state of a panel between its turns, and the operations that all forms of round share."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from openiir.kit.offline_speaker import Passage
from openiir.plugin import Citation, Claim, ClaimSource, Question, Stage, Stance, stance_number
from openiir.scenarios.panel.behaviour.arguments import ArgumentState
from openiir.scenarios.panel.behaviour.floor import TurnTaking
from openiir.scenarios.panel.behaviour.panelist import Panelist
from openiir.scenarios.panel.config import Round
from openiir.scenarios.panel.model.beliefs.modes import ModeParameters, StatedClaim, step
from openiir.scenarios.panel.model.speaking.citations import strip_marks
from openiir.scenarios.panel.model.speaking.wording import strip_openers
from openiir.scenarios.panel.run.actions import RoundClosed, Spoke

Q = TypeVar("Q", bound=Question[Any])
OVERHEARD = 0.25
"""Weight of a claim for panelists to whom it was not addressed; for the addressee it is 1.

Our design: advice is weighed by those who get it, and a panel in which everyone takes every word as advice
agrees within a round.
"""


@dataclass
class PanelTable:
    """State of a panel: its members, their stances, who has the floor, and the argument graph."""

    stage: Stage
    people: list[Panelist]
    floor: TurnTaking
    arguments: ArgumentState
    number: int = 0
    """Number of the last utterance."""
    over: bool = False
    """Whether the moderator ended the panel."""
    last_round: bool = False
    """Whether no round follows."""

    @property
    def with_budget(self) -> list[Panelist]:
        """The panelists with tokens left."""
        return [p for p in self.people if not p.agent.spent]

    def close_round(self, round_: Round, reason: str, turns: int) -> None:
        self.stage.act(None, RoundClosed(name=round_.name, reason=reason, turns=turns))

    async def ask_all(self, questions: Sequence[tuple[Panelist, Q]]) -> list[tuple[Panelist, Q, Any]]:
        """Ask panelists concurrently; returns (panelist, question, reply) for each usable reply."""
        replies = await self.stage.ask_all([(person.agent, question) for person, question in questions])
        answered = zip(questions, replies, strict=True)
        return [(*asked, reply) for asked, reply in answered if reply is not None]

    def remember(
        self, person: Panelist, when: str, thoughts: str, did: str = "", shown: Sequence[Passage] = ()
    ) -> None:
        """Store in memory what a panelist thought, did and read in a turn; thoughts are logged as well.

        `did` describes what it did other than by an utterance.
        """
        thought = f'{when} you thought: "{thoughts}"' if thoughts else ""
        person.remember([text for text in (thought, did and f"{when} {did}") if text], shown)
        if thought:
            self.stage.row("memories", step=self.stage.step, persona=person.agent.id, text=thought)

    async def extract(
        self, person: Panelist, number: int, text: str, cites: tuple[Citation, ...], address: str = ""
    ) -> list[Claim]:
        """Extract the claims of the panelist's utterance `number`, which may answer the claim `address`."""
        topic = self.stage.config.topic
        return await self.stage.extract(
            ClaimSource(text, person.agent.id, number, topic, address or None, cites)
        )

    async def add_utterance(self, person: Panelist, spoke: Spoke, stood: Stance) -> None:
        """Log an utterance, extract its claims, move stances; `stood` is the speaker's stance in words."""
        arguments = self.arguments
        words = strip_openers(spoke.text) if self.stage.config.blind else spoke.text
        claims = await self.extract(person, spoke.number, words, spoke.cites, spoke.address)
        self.stage.act(person.agent, spoke.model_copy(update={"claims": tuple(c.id for c in claims)}))
        arguments.update(len(claims))
        arguments.taken_up.add(spoke.address)
        if spoke.act == "concede" and not self.follows_dynamics(person):
            arguments.granting.add(spoke.number)
        claim = arguments.find(spoke.address)
        to = claim.speaker if claim and claim.speaker != person.agent.id else ""
        self.floor.take_turn(person, spoke.round, strip_marks(spoke.text), to, (spoke.stance, stood))
        self.move_stances(person, to, [(c, arguments.strength[c.id]) for c in claims])
        self.record_stances()

    def follows_dynamics(self, person: Panelist) -> bool:
        """Whether the opinion dynamics moves a panelist: only if a behaviour model answers for it."""
        return self.stage.answerer(person.agent, "panel.speak") == "offline"

    def state_stance(self, person: Panelist, word: Stance) -> None:
        """Set the stance that a panelist states, unless the opinion dynamics sets a finer one."""
        if not self.follows_dynamics(person):
            person.set_stance(stance_number(word))

    def move_stances(self, speaker: Panelist, to: str, claims: Sequence[tuple[Claim, float]]) -> None:
        """Apply the opinion dynamics to (claim, strength) pairs; `to` is the id of the addressee."""
        config, people = self.stage.config, self.people
        row = people.index(speaker)
        influences = np.array([p.agent.persona.influence for p in people])
        heed = np.array([[1.0 if p.agent.id == to else OVERHEARD] for p in people])
        moved = step(
            config.dynamics,
            [p.stance for p in people],
            [p.first for p in people],
            np.minimum(heed * influences, 1.0 / max(config.mu, 1e-9)),
            [StatedClaim(row, claim.stance, strength) for claim, strength in claims],
            ModeParameters(config.mu, config.epsilon, config.phi),
            self.stage.draw("panel.dynamics"),
        )
        for person, stance in zip(people, moved.tolist(), strict=True):
            if self.follows_dynamics(person):
                person.stance = stance

    def record_stances(self) -> None:
        """Log all stances after the last utterance in the table `stances`."""
        for person in self.people:
            self.stage.row(
                "stances",
                step=self.stage.step,
                utterance=self.number,
                persona=person.agent.id,
                stance=person.stance,
                tokens_left=person.agent.budget.tokens,
            )
