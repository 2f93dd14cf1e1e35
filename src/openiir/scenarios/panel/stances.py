"""Where everyone at the table stands, and how what is said moves it."""

from collections.abc import Sequence

import numpy as np

from openiir.kit import beliefs
from openiir.plugin import Claim, Stage, Stance, quantise, stance_number, stance_word
from openiir.scenarios.panel.panelist import Panelist

OVERHEARD = 0.25
"""What a claim weighs with those it was not put to, next to 1 for whoever is addressed: our design, since advice
is weighed by those who get it, and a panel in which everyone takes every word as advice agrees within a round."""


class PanelStances:
    """The panelists' stances, -1 to 1."""

    def __init__(self, stage: Stage, people: Sequence[Panelist]) -> None:
        self._stage = stage
        self._people = people
        self._values = quantise([p.first for p in people], 2.0)

    def value(self, person: Panelist) -> float:
        return float(self._values[self._people.index(person)])

    def word(self, person: Panelist) -> Stance:
        return stance_word(self.value(person))

    def set(self, person: Panelist, value: float) -> None:
        self._values[self._people.index(person)] = quantise(value, 2.0)

    def state(self, person: Panelist, word: Stance) -> None:
        """Set what a panelist says of its own stance, unless the opinion dynamics knows it more finely."""
        if not self.follows_dynamics(person):
            self.set(person, stance_number(word))

    def follows_dynamics(self, person: Panelist) -> bool:
        """Whether the opinion dynamics moves a panelist: only where the behaviour model speaks for it."""
        return self._stage.answerer(person.agent, "panel.speak") == "offline"

    def move(self, speaker: Panelist, to: str, claims: Sequence[tuple[Claim, float]]) -> None:
        """Apply the study's opinion dynamics to claims with their strengths; `to` is the id of whom they answer."""
        config, people = self._stage.config, self._people
        row = people.index(speaker)
        influences = np.array([p.agent.persona.influence for p in people])
        heed = np.array([[1.0 if p.agent.id == to else OVERHEARD] for p in people])
        moved = beliefs.step(
            config.dynamics,
            self._values,
            [p.first for p in people],
            np.minimum(heed * influences, 1.0 / max(config.mu, 1e-9)),
            [beliefs.StatedClaim(row, claim.stance, strength) for claim, strength in claims],
            beliefs.ModeParameters(config.mu, config.epsilon, config.phi),
            self._stage.draw("panel.dynamics"),
        )
        self._values = np.where([self.follows_dynamics(p) for p in people], moved, self._values)

    def record(self, utterance: int) -> None:
        """Write all stances after an utterance into this step's table `stances`."""
        for person, value in zip(self._people, self._values, strict=True):
            self._stage.row(
                "stances",
                step=self._stage.step,
                utterance=utterance,
                persona=person.agent.id,
                stance=float(value),
                tokens_left=person.agent.budget.tokens,
            )
