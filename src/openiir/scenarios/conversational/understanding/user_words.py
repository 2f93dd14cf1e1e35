"""What a user's clause does: rules over masked clauses."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from openiir.kit.dialogue import Act, Slot
from openiir.scenarios.conversational.understanding.cues import USER
from openiir.scenarios.conversational.understanding.mentions import Mention
from openiir.scenarios.conversational.understanding.slotting import Slots

OPENERS = ("greet", "yes", "no")


class Clause(NamedTuple):
    """A part of an utterance that does one thing."""

    text: str
    """In lower case, mentions masked."""
    mentions: Sequence[Mention]
    question: bool
    """Whether a question mark ends it."""


def user_clause(clause: Clause, slots: Slots) -> Iterator[Act]:
    """The acts in a clause: what it opens with, then the one thing that the rest says."""
    text = clause.text.strip(" ,\"'")
    for name in OPENERS:
        match = USER[name].match(text)
        if match:
            yield _act(name.upper())
            text = text[match.end() :].strip(" ,\"'")
    if text or clause.mentions:
        yield from _rest(text, clause, slots)


def _rest(text: str, clause: Clause, slots: Slots) -> Iterator[Act]:
    has = _Has(text)
    titles = [mention for mention in clause.mentions if mention.title]
    values = [mention for mention in clause.mentions if not mention.title]
    if has("give_up"):
        yield _act("GIVE_UP")
    elif has("bye"):
        yield _act("BYE")
    elif has("dont_know"):
        yield _act("DONT_KNOW")
    elif has("small_talk"):
        yield _act("OTHER")
    elif has("wonder") and (asked := _asked(text, clause, slots)):
        yield asked
    elif has("neutral"):
        yield _about("NEUTRAL", clause.mentions)
    elif has("critique") and not titles and (values or not has("dislike")) and not has("accept"):
        yield _about("CRITIQUE", values)
    elif has("unconsumed"):
        yield _act("NO")
        if slots.asked(text) and (asked := _asked(text, clause, slots)):
            yield asked
    elif has("dislike"):
        yield _about("DISLIKE", clause.mentions)
    elif has("accept"):
        yield _about("ACCEPT", titles)
    elif has("more") or (has("question") and not has("want")) or (clause.question and not has("want")):
        yield _asked(text, clause, slots) or _about("OTHER", clause.mentions)
    elif has("consumed"):
        yield _about("CONSUMED", titles)
        if has("like"):
            yield _about("LIKE", clause.mentions)
    elif has("want"):
        yield _about("DISCLOSE", clause.mentions)
    elif has("like"):
        yield _about("LIKE", clause.mentions)
    elif clause.mentions:
        yield _about("DISCLOSE", clause.mentions)
    elif len(text.split()) < 4 and (asked := _asked(text, clause, slots)):
        yield asked  # "director name"
    else:
        yield _act("OTHER")


def _asked(text: str, clause: Clause, slots: Slots) -> Act | None:
    """The question for slots, or for whether the item has values; None where it asks for nothing of an item."""
    names = slots.asked(text)
    valued = {mention.slot for mention in clause.mentions}
    asked = [
        Slot.of_own(slot=name, value=None, start=None, end=None)
        for name in names
        if name not in valued | {slots.title}
    ]
    if not asked and not clause.mentions and not USER["more"].search(text):
        return None
    return _act("INQUIRE", (*asked, *(mention.as_slot() for mention in clause.mentions)))


class _Has:
    """Whether a clause has cues."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __call__(self, name: str) -> bool:
        return USER[name].search(self.text) is not None


def _about(intent: str, mentions: Sequence[Mention]) -> Act:
    return _act(intent, tuple(mention.as_slot() for mention in mentions))


def _act(intent: str, slots: tuple[Slot, ...] = ()) -> Act:
    return Act.of_own(intent=intent, slots=slots)
