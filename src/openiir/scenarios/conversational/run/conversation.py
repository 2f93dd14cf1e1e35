"""Run one dialogue between a simulated user and a system, and log it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from openiir.kit.items.ratings import Ints
from openiir.plugin import Agent, Lane, Persona
from openiir.scenarios.conversational.behaviour.simulators import Simulator
from openiir.scenarios.conversational.behaviour.systems.adapters import SystemAdapter
from openiir.scenarios.conversational.behaviour.user_state import UserState
from openiir.scenarios.conversational.behaviour.users import group_of
from openiir.scenarios.conversational.model.dialogue import TITLE, Act, Utterance, build_act, build_utterance
from openiir.scenarios.conversational.model.titles.title_index import Titles
from openiir.scenarios.conversational.questions.system_turn import SystemTurn
from openiir.scenarios.conversational.run.actions import DialogueLogged, DialogueOffer, End


@dataclass(eq=False)
class Conversation:
    """One dialogue: a simulated user with a need, the simulator that controls it, and a system."""

    persona: Persona
    mind: UserState
    simulator: Simulator
    system: str
    """Name of the system in tables."""
    partner: SystemAdapter
    titles: Titles
    ranks: Ints
    """(items,): popularity rank of each item."""
    most: int
    """Maximum number of user turns."""
    utterances: list[Utterance] = field(default_factory=list)
    offers: list[DialogueOffer] = field(default_factory=list)
    end: End = "turn-limit"
    reason: str = ""
    accepted: str | None = None

    async def live(self, lane: Lane) -> DialogueLogged:
        """Run the dialogue to its end and log it as one event, with a token budget of its own."""
        who = Agent.of(self.persona)
        await self._take_turns(lane, who)
        await self.partner.leave(lane)
        wish = self.mind.wish
        held = DialogueLogged.of_own(
            number=wish.number,
            simulator=self.simulator.name,
            system=self.system,
            group=group_of(self.persona),
            need=wish.need,
            difficulty=wish.difficulty,
            utterances=tuple(self.utterances),
            offers=tuple(self.offers),
            informed=self.mind.informed,
            accepted=self.accepted,
            end=self.end,
            reason=self.reason,
        )
        lane.act(who, held)
        return held

    async def _take_turns(self, lane: Lane, who: Agent) -> None:
        turn = await self.partner.turn(lane, "", (), [])
        while await self._take_system_turn(lane, who, turn):
            reply = await self.simulator.reply(lane, who, self.mind)
            if reply is None:
                self._end_by_simulator(who)
                return
            self.mind.say(reply.text, reply.acts)
            self.utterances.append(build_utterance("user", reply.text, reply.acts))
            if reply.end != "no" or turn.ended or self.mind.turn >= self.most:
                limit: End = "system-ended" if turn.ended else "turn-limit"
                self.end = limit if reply.end == "no" else reply.end
                self.accepted = reply.item or None
                return
            acts = reply.acts if reply.passed else None
            turn = await self.partner.turn(lane, reply.text, acts, self.mind.history)

    async def _take_system_turn(self, lane: Lane, who: Agent, turn: SystemTurn) -> bool:
        """Process a system turn; return False if the dialogue ends with it.

        A system that recommends items in its last turn still gets the user's answer.
        """
        if turn.fault:
            self.end, self.reason = "system-error", turn.fault
            return False
        acts = await self.simulator.understand(lane, who, self.mind, turn) if turn.text else ()
        if acts is None:
            self.utterances.append(build_utterance("system", turn.text))
            self._end_by_simulator(who)
            return False
        items, strangers = self._recommended_items(turn, acts)
        if items and not any(act.intent == "RECOMMEND" for act in acts):
            titles = ((TITLE, self.mind.collection.titles[item]) for item in items)
            acts = (*acts, build_act("RECOMMEND", *titles))
        self.mind.hear(turn.text, acts, items, strangers)
        if turn.text:
            ids = tuple(self.mind.collection.ids[item] for item in items)
            self.utterances.append(build_utterance("system", turn.text, acts, ids))
        if items or strangers:
            self._add_offer(items, strangers)
        if turn.ended and not items:
            self.end = "system-ended"
        return not turn.ended or bool(items)

    def _recommended_items(self, turn: SystemTurn, acts: Sequence[Act]) -> tuple[list[int], list[str]]:
        """Return the recommended catalogue items, best first, and recommendations missing from the catalogue.

        A title shared by several items stands for the most rated of them, unless a year tells them apart.
        """
        index = self.mind.collection.index
        if turn.items:
            known = [index[id] for id in dict.fromkeys(turn.items) if id in index]
            return known, [id for id in dict.fromkeys(turn.items) if id not in index]
        found: dict[int, None] = {}
        strangers: dict[str, None] = {}
        for act in acts:
            for slot, value in act.pairs if act.intent == "RECOMMEND" else ():
                if slot.lower() == TITLE and value:
                    meant = self.titles.exact(value)
                    if meant:
                        found[min(meant, key=lambda item: int(self.ranks[item]))] = None
                    else:
                        strangers[value] = None
        return list(found), list(strangers)

    def _add_offer(self, items: Sequence[int], strangers: Sequence[str]) -> None:
        mind, collection = self.mind, self.mind.collection
        constraints, taste = mind.need.constraints, mind.wish.taste
        met: list[tuple[int, ...]] = []
        worth: list[float] = []
        for item in items:
            held = (n for n, (slot, v) in enumerate(constraints) if v in collection.values(slot, item))
            met.append(tuple(held))
            share = len(met[-1]) / (len(constraints) or 1)
            worth.append(0.0 if item in taste.consumed else taste.utility(share, item))
        self.offers.append(
            DialogueOffer.of_own(
                turn=mind.turn,
                items=(*(collection.ids[item] for item in items), *("" for _ in strangers)),
                titles=(*(collection.titles[item] for item in items), *strangers),
                utilities=(*worth, *(0.0 for _ in strangers)),
                met=(*met, *(() for _ in strangers)),
            )
        )

    def _end_by_simulator(self, who: Agent) -> None:
        self.end = "simulator-error"
        self.reason = "its tokens are spent" if who.spent else "no usable answer came"
