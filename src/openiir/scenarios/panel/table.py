"""The state of a panel between its turns, and what every form of round does with it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from openiir.kit.offline_speaker import Passage
from openiir.kit.offline_speaker.citations import strip_marks
from openiir.kit.offline_speaker.wording import strip_openers
from openiir.plugin import Citation, Claim, ClaimSource, Question, Stage, Stance
from openiir.scenarios.panel.actions import RoundClosed, RoundOpened, Spoke
from openiir.scenarios.panel.arguments import Arguments
from openiir.scenarios.panel.config import Round
from openiir.scenarios.panel.floor import Floor
from openiir.scenarios.panel.panelist import Panelist
from openiir.scenarios.panel.stances import PanelStances

Q = TypeVar("Q", bound=Question[Any])


@dataclass
class PanelTable:
    """Everyone at the table: who has the floor, what was claimed, and where they stand."""

    stage: Stage
    people: list[Panelist]
    floor: Floor
    arguments: Arguments
    stances: PanelStances
    number: int = 0
    """Of the last utterance."""
    over: bool = False
    """Whether the moderator ended the panel."""

    @property
    def able(self) -> list[Panelist]:
        """Everyone with tokens left."""
        return [p for p in self.people if not p.agent.spent]

    def open_round(self, round_: Round) -> None:
        self.stage.act(None, RoundOpened(name=round_.name, goal=round_.goal, cap=round_.turns))

    def close_round(self, round_: Round, reason: str, turns: int) -> None:
        self.stage.act(None, RoundClosed(name=round_.name, reason=reason, turns=turns))

    async def ask_all(self, questions: Sequence[tuple[Panelist, Q]]) -> list[tuple[Panelist, Q, Any]]:
        """Ask panelists at the same time; those who gave a usable reply, with their questions and replies."""
        replies = await self.stage.ask_all([(person.agent, question) for person, question in questions])
        answered = zip(questions, replies, strict=True)
        return [(*asked, reply) for asked, reply in answered if reply is not None]

    def remember(
        self, person: Panelist, when: str, thoughts: str, did: str = "", shown: Sequence[Passage] = ()
    ) -> None:
        """Keep what a panelist thought, did and read in a turn; thoughts go to the log for its interviews.

        `did` is what it did out loud otherwise than by an utterance.
        """
        thought = f'{when} you thought: "{thoughts}"' if thoughts else ""
        person.remember([text for text in (thought, did and f"{when} {did}") if text], shown)
        if thought:
            self.stage.row("memories", step=self.stage.step, persona=person.agent.id, text=thought)

    async def extract(
        self, person: Panelist, number: int, text: str, cites: tuple[Citation, ...], address: str = ""
    ) -> list[Claim]:
        """Extract the claims of a panelist's utterance `number`, which answers the claim `address` or none."""
        topic = self.stage.config.topic
        return await self.stage.extract(
            ClaimSource(text, person.agent.id, number, topic, address or None, cites)
        )

    async def add_utterance(self, person: Panelist, spoke: Spoke, stood: Stance) -> None:
        """Log an utterance, extract its claims, and move the stances; `stood` is the speaker's stance in words."""
        arguments = self.arguments
        words = strip_openers(spoke.text) if self.stage.config.blind else spoke.text
        claims = await self.extract(person, spoke.number, words, spoke.cites, spoke.address)
        self.stage.act(person.agent, spoke.model_copy(update={"claims": tuple(c.id for c in claims)}))
        arguments.update(len(claims))
        arguments.taken_up.add(spoke.address)
        if spoke.act == "concede" and not self.stances.follows_dynamics(person):
            arguments.granting.add(spoke.number)
        claim = arguments.find(spoke.address)
        to = claim.speaker if claim and claim.speaker != person.agent.id else ""
        self.floor.take_turn(person, spoke.round, strip_marks(spoke.text), to, (spoke.stance, stood))
        self.stances.move(person, to, [(c, arguments.strength[c.id]) for c in claims])
        self.stances.record(self.number)
