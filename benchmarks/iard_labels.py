"""Rule-based conversion of dialogue acts to the labels of IARD (Cai & Chen, UMAP 2020).

The labels tell apart what ours do not: whether a wish is the first request (IQU), an answer (ANS) or a
preference told unasked (PRO), whether a recommendation asks (REC-E) or states (REC-S), and what an
explanation rests on. That is told from the words and from what was said before.
"""

import re
from collections.abc import Sequence

from openiir.scenarios.conversational.model.dialogue import Act, Slot
from openiir.scenarios.conversational.model.understanding.catalogue import CatalogueReader
from openiir.scenarios.conversational.questions.understand import with_text_values

Context = Sequence[tuple[str, str]]
_CUES = {
    "thanks": r"\bthank|\bthx\b|appreciate",
    "farewell": r"\b(?:good ?)?bye\b|good ?night|\byou(?: as well|,? too)\b|have an? (?:\w+ "
    r")?(?:good|great|nice|lovely|wonderful|one|day|night|evening)\b|\bsame to you|take "
    r"care|enjoy your|nice (?:chatting|talking)",
    "asks_taste": r"\b(?:have|did|do) you (?:ever |actually )?(?:see|seen|like|watch(?:ed)?|think)|your "
    r"(?:favou?rite|opinion)",
    "declined": r"\b(?:pass|skip|not (?:really )?interested|no thanks)\b",
    "unseen": r"(?:haven'?t|have not|never|didn'?t|not) (?:\w+ ){0,2}(?:seen?|watch(?:ed)?|heard)|^no,? i "
    r"(?:haven'?t|have not|did ?n'?t)",
    "will": r"\b(?:i'?ll|i will|gonna|going to|want(?:ed|ing)? to (?:see|watch)|check "
    r"(?:it|that|them|those|this|\w+ out|out)|look into|try (?:it|that|them|those)|add "
    r"(?:it|that)|have to (?:see|watch)|sounds? (?:\w+ )?(?:good|great|interesting|fun|like)|would "
    r"love|keep (?:it|that) in mind)",
    "seeks": r"\blooking for|\brecommend|\bsuggest|\bfind\b|\bneed\b|in the mood|\bi(?:'d| would) "
    r"like|\bwant\b|\bany (?:good|ideas)|seeking|hoping",
    "liked": r"\b(?:lov|lik|enjoy)ed\b|\bwas (?:\w+ "
    r")?(?:good|great|awesome|amazing|funny|hilarious|fun)|\bgood (?:one|movie)|\bgreat "
    r"(?:one|movie|film)|favou?rite|\bi (?:really )?(?:love|like|enjoy) (?:that|it|this)",
    "similar": r"\b(?:similar|like that|like this|like it|like those|along those lines)\b",
    "flaw": r"\b(?:too|a (?:bit|little)|kind of|kinda) (?!much|many)\w+|not (?:really )?(?:my|for "
    r"me)|boring|slow",
    "another": r"\b(?:any(?:thing)? (?:other|else|more)|other "
    r"(?:suggestions|recommendations|ideas|movies)|something else|what else|another)\b",
    "praise": r"\b(?:good|great|awesome|amazing|excellent|hilarious|funny|classic|cute|best|brilliant|scary"
    r"|intense|fun|reviews|favou?rite|loved|enjoyed|worth)\b",
    "your_taste": r"(?<!do )(?<!would )(?<!movies )\b(?:you(?:'ll|'d| will| would| might| may| should)?(?: "
    r"really| also| probably)? (?:like|love|enjoy)|since you|for you|your kids?|your family)\b",
    "if_you": r"\bif you (?:like|love|enjoy|want|are|haven)",
    "tentative": r"\?|\b(?:have you|did you|how about|what about|do you like|would you)\b",
    "help": r"\bhelp you|\bwhat can i|assist",
}
CUES = {name: re.compile(pattern) for name, pattern in _CUES.items()}
_YEAR = re.compile(r"\s*[(\[]\d{4}[)\]]$")


class IardReader:
    """Reader of IARD's labels by a catalogue and rules."""

    def __init__(self, reader: CatalogueReader) -> None:
        self.reader = reader

    def user_acts(self, text: str, context: Context = ()) -> tuple[Act, ...]:
        """Find a seeker's intents."""
        acts = [_use_text_values(act, text) for act in self.reader.user_acts(text)]
        return _merge_labels(_seeker(acts, _UtteranceContext(text, context, self.reader)))

    def system_acts(self, text: str, context: Context = ()) -> tuple[Act, ...]:
        """Find a recommender's actions."""
        acts = [_use_text_values(act, text) for act in self.reader.system_acts(text)]
        return _merge_labels(_recommender(acts, _UtteranceContext(text, context, self.reader)))

    def places(self, text: str) -> list[tuple[int, int, str]]:
        """List (start, end, slot) of the titles and values in a text."""
        return self.reader.places(text)


class _UtteranceContext:
    """An utterance with features of the dialogue before it."""

    def __init__(self, text: str, context: Context, reader: CatalogueReader) -> None:
        self.text = text.lower().replace("’", "'")
        self.before = next((said for speaker, said in reversed(context) if speaker), "")
        mine = context[-1][0] if context else ""
        asked = reader.system_acts(self.before) if mine == "system" else reader.user_acts(self.before)
        self.asked = {act.intent for act in asked}
        self.recommended = any(speaker == "system" and reader.items(said) for speaker, said in context)
        self.turn = len(context)
        self.titles = [
            Slot(slot="TITLE", value=text[start:end])
            for start, end, slot in reader.places(text)
            if slot == "title"
        ]
        """All titles named in the utterance."""

    def has(self, cue: str) -> bool:
        return bool(CUES[cue].search(self.text))


Labels = list[tuple[str, tuple[Slot, ...]]]


def _seeker(acts: Sequence[Act], said: _UtteranceContext) -> Labels:
    found: Labels = []
    names = {act.intent for act in acts}
    slots = [slot for act in acts for slot in act.slots if slot.value]
    if "GREET" in names and said.turn < 3:
        found.append(("OTH", ()))
    wishes = [
        act
        for act in acts
        if act.intent in ("DISCLOSE", "LIKE", "CRITIQUE") and (act.slots or act.intent == "DISCLOSE")
    ]
    if not said.recommended:
        if wishes or said.has("seeks"):
            answers = "ELICIT" in said.asked and not said.has("seeks")
            found.append(("ANS" if answers else "IQU", tuple(slots)))
    else:
        found += _label_reaction(acts, said)
    if said.has("asks_taste") and "?" in said.text:
        found.append(("ASK", ()))
    if "BYE" in names or said.has("farewell"):
        found.append(("END", ()))
    elif said.has("thanks"):
        found.append(("OTH", ()))
    return found or [("OTH", ())]


def _label_reaction(acts: Sequence[Act], said: _UtteranceContext) -> Labels:
    """Label a seeker's utterance after a recommendation."""
    found: Labels = []
    names = {act.intent: act for act in acts}
    slots = tuple(slot for act in acts for slot in act.slots)
    titles = tuple(slot for slot in slots if slot.slot == "TITLE")
    others = tuple(slot for slot in slots if slot.slot != "TITLE" and slot.value)
    declined = said.has("declined")
    accepted = ("ACCEPT" in names or said.has("will")) and not declined
    disliked = declined or "DISLIKE" in names or "NEUTRAL" in names
    seen = "CONSUMED" in names or ("YES" in names and not accepted) or (said.has("liked") and not accepted)
    if disliked and not accepted:
        found.append(("REJ", titles))
    elif seen and not said.has("unseen"):
        found.append(("SEE", titles))
    if accepted:
        found.append(("ACC", titles))
    if "INQUIRE" in names or ("?" in said.text and not found and not said.has("another")):
        found.append(("INQ", names["INQUIRE"].slots if "INQUIRE" in names else ()))
    if said.has("similar") and "?" in said.text:
        found.append(("CRI-C", titles))
    elif "CRITIQUE" in names or ("DISCLOSE" in names and others):
        found.append(("CRI-A", others) if others else ("CON", ()) if said.has("another") else ("CRI-F", ()))
    elif said.has("flaw"):
        found.append(("CRI-F", others))
    elif "LIKE" in names and names["LIKE"].slots and not seen:
        found.append(("PRO", names["LIKE"].slots))
    if said.has("unseen") and not accepted and not disliked and "INQUIRE" not in names:
        found.append(("NRE", titles))
    if "NO" in names and not found:
        found.append(("REJ", ()) if "RECOMMEND" in said.asked else ("ANS", ()))
    return found


def _recommender(acts: Sequence[Act], said: _UtteranceContext) -> Labels:
    found: Labels = []
    names = {act.intent: act for act in acts}
    if "GREET" in names and said.turn < 3:
        found.append(("OTH", ()))
    titles = tuple(
        dict.fromkeys([*(s for act in acts for s in act.slots if s.slot == "TITLE"), *said.titles])
    )
    values = tuple(
        slot
        for act in acts
        if act.intent in ("INFORM", "RECOMMEND")
        for slot in act.slots
        if slot.slot != "TITLE"
    )
    if "ELICIT" in names and not titles:
        found.append(("REQ", names["ELICIT"].slots))
    elif said.has("help"):
        found.append(("REQ", ()))
    if titles and (said.turn or not said.has("help")):
        found.append(("REC-E" if said.has("tentative") else "REC-S", titles))
    if "INQUIRE" in said.asked and not titles:
        found.append(("R-ANS", values))
    elif said.has("if_you"):
        found.append(("EXP-S", values))
    elif said.has("your_taste"):
        found.append(("EXP-P", values))
    elif values or (said.has("praise") and not said.has("farewell")):
        found.append(("EXP-I", values))
    if "BYE" in names or said.has("farewell"):
        return [*found, ("END", ())]
    if not found:
        found.append(("OTH", ()) if said.turn < 2 else ("RESP", ()))
    return found


def _use_text_values(act: Act, text: str) -> Act:
    """Replace values by the text's own words, titles without a year, and slots by capitals."""
    said = with_text_values(act, text)
    slots = [Slot(slot=s.slot.upper(), value=_YEAR.sub("", s.value) if s.value else None) for s in said.slots]
    return Act(intent=act.intent, slots=tuple(slots))


def _merge_labels(labels: Labels) -> tuple[Act, ...]:
    """Merge labels to one act each."""
    slots: dict[str, dict[Slot, None]] = {}
    for label, own in labels:
        slots.setdefault(label, {}).update(dict.fromkeys(own))
    return tuple(Act(intent=label, slots=tuple(own)) for label, own in slots.items())
