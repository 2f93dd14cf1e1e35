"""Rules that find the dialogue acts in a clause of a user's turn with masked mentions."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from openiir.scenarios.conversational.dialogue import Act, build_act
from openiir.scenarios.conversational.understanding.cues import USER
from openiir.scenarios.conversational.understanding.mentions import SlotMention
from openiir.scenarios.conversational.understanding.slot_lexicon import SlotLexicon

OPENERS = ("greet", "yes", "no")


class UtteranceClause(NamedTuple):
    """A clause of an utterance, the unit of the rules."""

    text: str
    """Lower-case text with masked mentions."""
    mentions: Sequence[SlotMention]
    question: bool
    """Whether the clause ends with a question mark."""


def user_clause(clause: UtteranceClause, slots: SlotLexicon) -> Iterator[Act]:
    """Find the acts in a clause: its opening (greeting, yes or no), then one act for the rest."""
    text = clause.text.strip(" ,\"'")
    for name in OPENERS:
        match = USER[name].match(text)
        if match:
            yield build_act(name.upper())
            text = text[match.end() :].strip(" ,\"'")
    if text or clause.mentions:
        yield from _remaining_acts(text, clause, slots)


def _remaining_acts(text: str, clause: UtteranceClause, slots: SlotLexicon) -> Iterator[Act]:

    def has(name: str) -> bool:
        return USER[name].search(text) is not None

    titles = [mention for mention in clause.mentions if mention.title]
    values = [mention for mention in clause.mentions if not mention.title]
    if has("give_up"):
        yield build_act("GIVE_UP")
    elif has("bye"):
        yield build_act("BYE")
    elif has("dont_know"):
        yield build_act("DONT_KNOW")
    elif has("small_talk"):
        yield build_act("OTHER")
    elif has("wonder") and (asked := _build_inquire(text, clause, slots)):
        yield asked
    elif has("neutral"):
        yield act_about("NEUTRAL", clause.mentions)
    elif has("critique") and not titles and (values or not has("dislike")) and not has("accept"):
        yield act_about("CRITIQUE", values)
    elif has("unconsumed"):
        yield build_act("NO")
        if slots.find(text) and (asked := _build_inquire(text, clause, slots)):
            yield asked
    elif has("dislike"):
        yield act_about("DISLIKE", clause.mentions)
    elif has("accept"):
        yield act_about("ACCEPT", titles)
    elif has("more") or (has("question") and not has("want")) or (clause.question and not has("want")):
        yield _build_inquire(text, clause, slots) or act_about("OTHER", clause.mentions)
    elif has("consumed"):
        yield act_about("CONSUMED", titles)
        if has("like"):
            yield act_about("LIKE", clause.mentions)
    elif has("want"):
        yield act_about("DISCLOSE", clause.mentions)
    elif has("like"):
        yield act_about("LIKE", clause.mentions)
    elif clause.mentions:
        yield act_about("DISCLOSE", clause.mentions)
    elif len(text.split()) < 4 and (asked := _build_inquire(text, clause, slots)):
        yield asked  # "director name"
    else:
        yield build_act("OTHER")


def _build_inquire(text: str, clause: UtteranceClause, slots: SlotLexicon) -> Act | None:
    """Build the INQUIRE act about slots or values of an item; None if the clause asks about none."""
    names = slots.find(text)
    valued = {mention.slot for mention in clause.mentions}
    asked = build_act(
        "INQUIRE", *((name, None) for name in names if name not in valued | {slots.title})
    ).slots
    if not asked and not clause.mentions and not USER["more"].search(text):
        return None
    return Act.of_own(intent="INQUIRE", slots=asked + act_about("INQUIRE", clause.mentions).slots)


def act_about(intent: str, mentions: Sequence[SlotMention]) -> Act:
    """Build an act whose slots are these mentions."""
    return Act.of_own(intent=intent, slots=tuple(mention.as_slot() for mention in mentions))
