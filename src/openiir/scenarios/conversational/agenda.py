"""What a user does next, by an agenda of the need (Schatzmann et al., NAACL 2007) with the four cases of Lyu et al. (WWW
2021): an elicitation is answered, a recommendation judged, an offer to tell more taken up, and else the agenda goes on.

All acts of a turn are answered, not the last alone; whatever stays open stays on the agenda.
"""

from dataclasses import dataclass
from math import exp

from openiir.kit.dialogue import Act, Slot
from openiir.plugin import Draw
from openiir.scenarios.conversational.habits import NO_HABITS, Habits
from openiir.scenarios.conversational.mind import DISLIKE, LIKE, TITLE, Mind, Pair, View
from openiir.scenarios.conversational.questions.respond import Ending, Response, Situation

BEGIN, PER_TURN, PER_FAILURE = -4.0, 0.35, 1.5
"""Log-odds of leaving: where they begin, what a turn and a failure in a row add (MODELS 8)."""
LEAN = 0.25
"""Stars of deviation from which on a user leans to or from a value."""
MOST_ACTS = 8
CLOSE = ("ACCEPT", "GIVE_UP", "BYE")


def act(intent: str, *pairs: tuple[str, str | None]) -> Act:
    """An act of our own making."""
    slots = tuple(Slot.of_own(slot=slot, value=value, start=None, end=None) for slot, value in pairs)
    return Act.of_own(intent=intent, slots=slots)


def hazard(patience: float, turn: int, failures: int) -> float:
    """The chance of leaving now: sigma(-4 + 2 (1 - patience) (.35 turn + 1.5 failures)); MODELS 8 at patience .5."""
    return 1 / (1 + exp(-(BEGIN + 2 * (1 - patience) * (PER_TURN * turn + PER_FAILURE * failures))))


@dataclass(frozen=True, eq=False)
class Policy:
    """Decides for a mind; asked twice under one draw, it says the same."""

    mind: Mind
    habits: Habits = NO_HABITS

    def situation(self) -> Situation:
        """What the user sees, in words: all that a model that decides in its place is told."""
        mind = self.mind
        collection = mind.collection
        items = {view.item: view for view in map(mind.view, mind.before)}
        return Situation(
            noun=collection.kind,
            need=mind.need,
            history=tuple(mind.history),
            heard=mind.heard,
            known=tuple(_known(view) for view in items.values()),
            items=tuple((collection.ids[item], view.title) for item, view in items.items()),
            turn=mind.turn,
            failures=mind.failures,
        )

    def ending(self, draw: Draw) -> tuple[Ending, str]:
        """Whether the user ends the dialogue now, and the id of the item taken."""
        mind = self.mind
        if mind.table is not None and not mind.questions and mind.view(mind.table).acceptable:
            return "satisfied", mind.collection.ids[mind.table]
        if draw.at("leave").chance(hazard(mind.traits.patience, mind.turn, mind.failures)):
            return "gave-up", ""
        return "no", ""

    def respond(self, draw: Draw) -> Response:
        """What the user does next, an ending included."""
        end, item = self.ending(draw)
        return Response.of_own(acts=self.closing(end) if end != "no" else self.reply(draw), end=end, item=item)

    def closing(self, end: Ending) -> tuple[Act, ...]:
        """How a user ends a dialogue."""
        mind = self.mind
        if end == "satisfied" and mind.table is not None:
            return (act("ACCEPT", (TITLE, mind.collection.titles[mind.table])), act("BYE"))
        return (act("GIVE_UP"),)

    def reply(self, draw: Draw) -> tuple[Act, ...]:
        """The acts that answer the system's, each at most once; the four cases."""
        acts: list[Act] = []
        for heard in self.mind.heard:
            if heard.intent == "ELICIT":
                for slot, value in heard.pairs or ((None, None),):
                    acts += self._elicited(slot, value, draw)
            elif heard.intent == "OFFER" and not self.mind.questions and not self.mind.offered:
                acts.append(act("NO"))
        acts += self._judged()
        if self.mind.table is not None and self.mind.questions and self._worth_asking():
            acts.append(act("INQUIRE", (self.mind.questions[0], None)))
        if not acts:
            acts = self._onwards(draw)
        return tuple(dict.fromkeys(acts))[:MOST_ACTS]

    def _worth_asking(self) -> bool:
        mind = self.mind
        view = mind.view(mind.table) if mind.table is not None else None
        return view is not None and not view.violated and not view.consumed and view.utility >= DISLIKE

    def _elicited(self, slot: str | None, value: str | None, draw: Draw) -> list[Act]:
        """Case 1: what the need says of the slot, else what taste does, else that one does not know."""
        mind = self.mind
        if slot is None:
            return self._onwards(draw)
        at = draw.at(f"elicit/{slot}")
        if not at.at("answer").chance(mind.traits.cooperativeness):
            return [act("DONT_KNOW", (slot, None))]
        if slot == TITLE:
            return [self._liked_title(draw)]
        wanted = mind.need.wanted.get(slot, ())
        if value is not None:
            return self._confirmed(slot, value, wanted)
        if wanted:
            return self._disclosed([(slot, one) for one in wanted], at)
        favourite = mind.wish.taste.favourite(slot)
        if favourite is not None and at.at("taste").chance(mind.traits.talkativeness):
            return [act("LIKE", (slot, favourite))]
        return [act("DONT_KNOW", (slot, None))]

    def _confirmed(self, slot: str, value: str, wanted: tuple[str, ...]) -> list[Act]:
        if any(value.casefold() == one.casefold() for one in wanted):
            return [act("YES", (slot, value))]
        if wanted:
            return [act("NO", (slot, value)), act("DISCLOSE", *((slot, one) for one in wanted))]
        lean = self.mind.wish.taste.leanings.get((slot, value), 0.0)
        return [act("LIKE" if lean > LEAN else "DISLIKE" if lean < -LEAN else "NEUTRAL", (slot, value))]

    def _disclosed(self, pairs: list[Pair], draw: Draw) -> list[Act]:
        """These wishes, and, by the chance of talkativeness, the next one that is pending."""
        more = [pair for pair in self.mind.pending if pair not in pairs][:1]
        if more and draw.at("more").chance(self.mind.traits.talkativeness):
            pairs = pairs + more
        return [act("DISCLOSE", *pairs)]

    def _liked_title(self, draw: Draw) -> Act:
        mind = self.mind
        left = [item for item in mind.wish.taste.liked if item not in mind.liked_titles]
        if not left:
            return act("DONT_KNOW", (TITLE, None))
        return act("LIKE", (TITLE, mind.collection.titles[left[draw.at("liked").below(min(len(left), 5))]]))

    def _judged(self) -> list[Act]:
        """Case 2: what the user makes of the best offer, or of what it was told of it, naming the weightiest violation."""
        mind = self.mind
        acts = [act("NEUTRAL", (TITLE, title)) for title in mind.strangers[:1]]
        told = any(heard.intent == "INFORM" for heard in mind.heard)
        if mind.table is None or not (mind.offered or told):
            return acts
        view = mind.view(mind.table)
        title = (TITLE, view.title)
        if mind.offered and view.consumed:
            acts.append(act("CONSUMED", title))
        if mind.offered:
            acts.append(act(_verdict(view), title))
        if view.violated:
            acts.append(act("CRITIQUE", view.violated[0]))
        return acts

    def _onwards(self, draw: Draw) -> list[Act]:
        """Case 4: the top of the agenda; when all is said, what people do after such acts, wishes said again."""
        mind = self.mind
        if mind.pending:
            return self._disclosed(mind.pending[:1], draw.at("onwards"))
        again = mind.need.constraints[mind.turn % len(mind.need.constraints)] if mind.need.constraints else None
        legal = ["DONT_KNOW", *(["DISCLOSE"] if again else [])]
        intent = self.habits.next(mind.heard, legal, draw.at("habit"))
        return [act("DISCLOSE", again)] if intent == "DISCLOSE" and again else [act("DONT_KNOW")]


def _verdict(view: View) -> str:
    if view.consumed:
        return "LIKE" if view.utility > LIKE else "NEUTRAL"
    return "LIKE" if view.utility > LIKE else "DISLIKE" if view.utility < DISLIKE else "NEUTRAL"


def _known(view: View) -> str:
    """An item as the user knows it, in a line."""
    standings = [f"{slot} {value}: {standing}" for (slot, value), standing in view.constraints]
    had = ["you have had it before"] if view.consumed else []
    return f"{view.title} ({'; '.join([*standings, *had])}); it promises {view.utility:.2f} of 1"
