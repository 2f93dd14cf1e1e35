"""Rules that find the dialogue acts in a clause of a user's turn with masked mentions."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from openiir.scenarios.conversational.model.dialogue import Act, Slot, build_act
from openiir.scenarios.conversational.model.titles.gazetteer import ValueMention
from openiir.scenarios.conversational.model.understanding.cues import SYSTEM, USER, SlotLexicon

OPENERS = ("greet", "yes", "no")


class UtteranceClause(NamedTuple):
    """A clause of an utterance, the unit of the rules."""

    text: str
    """Lower-case text with masked mentions."""
    mentions: Sequence[ValueMention]
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


def act_about(intent: str, mentions: Sequence[ValueMention]) -> Act:
    """Build an act whose slots are these mentions."""
    slots = (Slot.of_own(slot=m.slot, value=m.value, start=m.start, end=m.end) for m in mentions)
    return Act.of_own(intent=intent, slots=tuple(slots))


def system_clause(clause: UtteranceClause, slots: SlotLexicon) -> Iterator[Act]:
    """Find the acts in a clause of a system's turn."""
    text = clause.text.strip(" ,\"'")
    titles = [mention for mention in clause.mentions if mention.title]
    values = [mention for mention in clause.mentions if not mention.title]
    greeting = _search("greet", text)
    if greeting:
        yield build_act("GREET")
        text = text[greeting.end() :].strip(" ,\"'")
    if _search("example", text):
        return
    if values and _search("dropping", text):
        yield act_about("NOTHING_FOUND", values)
    elif _search("bye", text):
        yield build_act("BYE")
    elif _search("nothing", text):
        yield act_about("NOTHING_FOUND", values)
    elif _search("offer", text) and not (
        titles and _search("recommend", text) and "about" not in text and "know" not in text
    ):
        yield build_act("OFFER", *((name, None) for name in slots.find(text) if name != slots.title))
    elif values and _search("acknowledge", text) and not _search("told", text):
        yield act_about("ACKNOWLEDGE", values)
    elif titles and (named := _new_titles(text, titles, clause)):
        yield act_about("RECOMMEND", named)
        if behind := [mention for mention in values if mention.start > named[0].end]:
            yield act_about("INFORM", behind)
    elif values and not clause.question and _search("states", text):
        yield act_about("INFORM", values)
    elif not clause.mentions and _search("unknown", text) and (told := _build_inform(text, clause, slots)):
        yield told
    elif (clause.question or _search("asks", text)) and (
        values or titles or _search("elicit", text) or _search("asks", text) and slots.find(text)
    ):
        yield _build_elicit(text, [*values, *titles], slots)
    elif _search("elicit", text) and not clause.mentions:
        yield _build_elicit(text, [], slots)
    elif _search("inform", text) and (told := _build_inform(text, clause, slots)):
        yield told
    elif not text:
        return
    elif _search("acknowledge", text):
        yield build_act("ACKNOWLEDGE")
    elif not greeting:
        yield build_act("OTHER")


def _new_titles(text: str, titles: list[ValueMention], clause: UtteranceClause) -> list[ValueMention]:
    """Select the titles that are recommended, without those that only give a reason."""
    bygone = [match.span() for match in SYSTEM["bygone"].finditer(clause.text)]
    offset = titles[0].start - next(n for n, sign in enumerate(clause.text) if "\ue000" <= sign < "\ue800")
    new = [t for t in titles if not any(start <= t.start - offset < end for start, end in bygone)]
    if _search("recommend", text) or len(titles) * 2 >= len(text.split()):
        return new
    return []


def _build_elicit(text: str, mentions: list[ValueMention], slots: SlotLexicon) -> Act:
    """Build the ELICIT act: about the values named, or else about slots."""
    if mentions:
        return act_about("ELICIT", mentions)
    return build_act("ELICIT", *((name, None) for name in slots.find(text)[:3]))


def _build_inform(text: str, clause: UtteranceClause, slots: SlotLexicon) -> Act | None:
    """Build an INFORM act about the values named, or else about slots; None if there are neither."""
    if values := [mention for mention in clause.mentions if not mention.title]:
        return act_about("INFORM", values)
    named = [(name, None) for name in slots.find(text) if name != slots.title]
    return build_act("INFORM", *named) if named else None


def _search(name: str, text: str) -> re.Match[str] | None:
    return SYSTEM[name].search(text)
