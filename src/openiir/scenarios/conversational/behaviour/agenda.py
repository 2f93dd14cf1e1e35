"""Agenda-based policy of a simulated user (Schatzmann et al., NAACL 2007; four cases of Lyu et al., WWW
2021).

The user answers an elicitation, judges a recommendation, takes up an offer of more information, or else
follows the agenda. All acts of a system turn are answered, not only the last; whatever stays open stays on
the agenda.
"""

from dataclasses import dataclass
from math import exp

from openiir.plugin import Draw
from openiir.scenarios.conversational.behaviour.user_state import DISLIKE, LIKE
from openiir.scenarios.conversational.model.dialogue import TITLE, Act, build_act
from openiir.scenarios.conversational.model.reply_habits import NO_HABITS, ReplyHabits
from openiir.scenarios.conversational.questions.respond import ResponseDecision
from openiir.scenarios.conversational.questions.sight import OfferView, Pair, Sight
from openiir.scenarios.conversational.questions.speak import Ending

BEGIN, PER_TURN, PER_FAILURE = -4.0, 0.35, 1.5
"""Log-odds of giving up: intercept, weight of each turn, and weight of each consecutive failure (MODELS
8)."""
MOST_ACTS = 8


def hazard(patience: float, turn: int, failures: int) -> float:
    """Compute the probability that the user gives up at this turn.

    It is sigma(-4 + 2 (1 - patience) (.35 turn + 1.5 failures)), as in MODELS 8 at patience .5.
    """
    return 1 / (1 + exp(-(BEGIN + 2 * (1 - patience) * (PER_TURN * turn + PER_FAILURE * failures))))


@dataclass(frozen=True)
class AgendaPolicy:
    """Agenda-based policy: chooses a user's next dialogue acts, purely from state and random draw."""

    sight: Sight
    habits: ReplyHabits = NO_HABITS

    def ending(self, draw: Draw) -> tuple[Ending, str]:
        """Decide whether the user ends the dialogue now; also return the accepted item's id."""
        sight = self.sight
        if sight.table is not None and not sight.questions and sight.table.acceptable:
            return "satisfied", sight.table.id
        if draw.at("leave").chance(hazard(sight.traits.patience, sight.turn, sight.failures)):
            return "gave-up", ""
        return "no", ""

    def respond(self, draw: Draw) -> ResponseDecision:
        """Decide the user's next turn, including whether it ends the dialogue."""
        end, item = self.ending(draw)
        return ResponseDecision(self.turn(end, item, draw), end, item)

    def turn(self, end: Ending, item: str, draw: Draw) -> tuple[Act, ...]:
        """Return the acts of the decided ending, or of a reply if the dialogue goes on.

        `item` is the id of the accepted item.
        """
        if end == "satisfied":
            return (build_act("ACCEPT", (TITLE, dict(self.sight.items)[item])), build_act("BYE"))
        return (build_act("GIVE_UP"),) if end == "gave-up" else self.reply(draw)

    def reply(self, draw: Draw) -> tuple[Act, ...]:
        """Choose acts in reply to the system's acts, without duplicates (the policy's four cases)."""
        sight, acts = self.sight, list[Act]()
        for heard in sight.heard:
            if heard.intent == "ELICIT":
                for slot, value in heard.pairs or ((None, None),):
                    acts += self._answer_elicitation(slot, value, draw)
            elif heard.intent == "OFFER" and not sight.questions and not sight.offered:
                acts.append(build_act("NO"))
        acts += self._judge_offer()
        view = sight.table
        if view and sight.questions and not (view.violated or view.consumed or _verdict(view) == "DISLIKE"):
            acts.append(build_act("INQUIRE", (sight.questions[0], None)))
        if not acts:
            acts = self._follow_agenda(draw)
        return tuple(dict.fromkeys(acts))[:MOST_ACTS]

    def _answer_elicitation(self, slot: str | None, value: str | None, draw: Draw) -> list[Act]:
        """Answer an elicited slot (case 1) from the need, else from taste, else with DONT_KNOW."""
        sight = self.sight
        if slot is None:
            return self._follow_agenda(draw)
        at = draw.at(f"elicit/{slot}")
        if not at.at("answer").chance(sight.traits.cooperativeness):
            return [build_act("DONT_KNOW", (slot, None))]
        if slot == TITLE:
            named = sight.liked[at.at("liked").below(len(sight.liked))] if sight.liked else None
            return [build_act("LIKE" if named else "DONT_KNOW", (TITLE, named))]
        wanted = sight.need.wanted.get(slot, ())
        if value is not None:
            return self._confirm_value(slot, value, wanted)
        if wanted:
            return self._disclose([(slot, one) for one in wanted], at)
        favourite = dict(sight.favourites).get(slot)
        if favourite is not None and at.at("taste").chance(sight.traits.talkativeness):
            return [build_act("LIKE", (slot, favourite))]
        return [build_act("DONT_KNOW", (slot, None))]

    def _confirm_value(self, slot: str, value: str, wanted: tuple[str, ...]) -> list[Act]:
        if any(value.casefold() == one.casefold() for one in wanted):
            return [build_act("YES", (slot, value))]
        if wanted:
            return [build_act("NO", (slot, value)), build_act("DISCLOSE", *((slot, one) for one in wanted))]
        return [build_act(dict(self.sight.leanings)[slot, value], (slot, value))]

    def _disclose(self, pairs: list[Pair], draw: Draw) -> list[Act]:
        """Disclose these constraints and, with the probability given by talkativeness, the next pending
        one."""
        more = [pair for pair in self.sight.pending if pair not in pairs][:1]
        if more and draw.at("more").chance(self.sight.traits.talkativeness):
            pairs = pairs + more
        return [build_act("DISCLOSE", *pairs)]

    def _judge_offer(self) -> list[Act]:
        """Judge the best recommended item (case 2) and criticise the most important constraint that it
        violates."""
        sight, view = self.sight, self.sight.table
        acts = [build_act("NEUTRAL", (TITLE, title)) for title in sight.strangers[:1]]
        told = any(heard.intent == "INFORM" for heard in sight.heard)
        if view is None or not (sight.offered or told):
            return acts
        if sight.offered and view.consumed:
            acts.append(build_act("CONSUMED", (TITLE, view.title)))
        if sight.offered:
            acts.append(build_act(_verdict(view), (TITLE, view.title)))
        if view.violated:
            acts.append(build_act("CRITIQUE", view.violated[0]))
        return acts

    def _follow_agenda(self, draw: Draw) -> list[Act]:
        """Disclose the next pending constraint (case 4).

        Once all are disclosed, repeat one or say DONT_KNOW, with frequencies learnt from human dialogues.
        """
        sight = self.sight
        if sight.pending:
            return self._disclose(list(sight.pending[:1]), draw.at("onwards"))
        constraints = sight.need.constraints
        again = constraints[sight.turn % len(constraints)] if constraints else None
        legal = ["DONT_KNOW", *(["DISCLOSE"] if again else [])]
        intent = self.habits.next(sight.heard, legal, draw.at("habit"))
        return [build_act("DISCLOSE", again)] if intent == "DISCLOSE" and again else [build_act("DONT_KNOW")]


def _verdict(view: OfferView) -> str:
    if not view.consumed and (view.disliked or view.utility < DISLIKE):
        return "DISLIKE"
    return "LIKE" if view.utility > LIKE else "NEUTRAL"
