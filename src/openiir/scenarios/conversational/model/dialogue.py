"""Records of dialogues, dialogue acts and information needs, and openiir's intents."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any, Literal, get_args

from pydantic import Field

from openiir.kit.text_tables import read_text_table
from openiir.plugin import Record
from openiir.plugin.arguments import words

Speaker = Literal["user", "system"]
Pair = tuple[str, str | None]
"""A slot with its value, or None without a value."""

UserIntent = Literal[
    "GREET",
    "DISCLOSE",
    "INQUIRE",
    "CONSUMED",
    "LIKE",
    "NEUTRAL",
    "DISLIKE",
    "CRITIQUE",
    "ACCEPT",
    "YES",
    "NO",
    "DONT_KNOW",
    "GIVE_UP",
    "BYE",
    "OTHER",
]
"""Intents of users. DISCLOSE states a constraint (slot=value), INQUIRE asks for a slot of the current item,
CRITIQUE states a constraint that it violates, ACCEPT takes the item, GIVE_UP leaves without one."""
SystemIntent = Literal[
    "GREET", "ELICIT", "RECOMMEND", "INFORM", "OFFER", "NOTHING_FOUND", "ACKNOWLEDGE", "BYE", "OTHER"
]
"""Intents of systems. ELICIT asks for a slot or whether slot=value is wanted, RECOMMEND names items
(title=...), INFORM tells slots of the current item, OFFER offers more information on named or any slots."""
USER_INTENTS: tuple[UserIntent, ...] = get_args(UserIntent)
SYSTEM_INTENTS: tuple[SystemIntent, ...] = get_args(SystemIntent)
TITLE = "title"
"""Name of the slot that holds an item's title."""


class Need(Record):
    """An information need: required slot values, slots to ask about, and the target items."""

    constraints: tuple[tuple[str, str], ...] = ()
    """Required (slot, value) pairs, the most important first; a target item has all of them."""
    requests: tuple[str, ...] = ()
    """Slots that the user asks about before accepting an item."""
    targets: tuple[str, ...] = ()
    """Ids of the items that satisfy the need."""

    @property
    def wanted(self) -> dict[str, tuple[str, ...]]:
        """Required values by slot, in order."""
        by_slot: dict[str, tuple[str, ...]] = {}
        for slot, value in self.constraints:
            by_slot[slot] = (*by_slot.get(slot, ()), value)
        return by_slot

    @property
    def without_targets(self) -> "Need":
        """Copy of the need without the target items, which users and judges must not see."""
        return Need.of_own(constraints=self.constraints, requests=self.requests, targets=())


class Slot(Record):
    """A slot of a dialogue act, with its value if it has one."""

    slot: str = Field(max_length=200)
    value: str | None = Field(None, max_length=2_000)
    start: int | None = Field(None, ge=0, le=1_000_000)
    """Character offset of the value in the utterance's text."""
    end: int | None = Field(None, ge=0, le=1_000_000)


class Act(Record):
    """A dialogue act: an intent with its slots."""

    intent: str = Field(max_length=200)
    """A UserIntent or SystemIntent, or an intent of the imported data's annotation scheme."""
    slots: tuple[Slot, ...] = Field((), max_length=100)

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """(slot, value) pairs of the act."""
        return tuple((s.slot, s.value) for s in self.slots)


def build_act(intent: str, *pairs: Pair) -> Act:
    """Build an act from trusted (slot, value) pairs, without validation."""
    slots = tuple(Slot.of_own(slot=slot, value=value, start=None, end=None) for slot, value in pairs)
    return Act.of_own(intent=intent, slots=slots)


def pairs_of(acts: Iterable[Act], intent: str) -> list[Pair]:
    """List the (slot, value) pairs of the acts of an intent."""
    return [pair for act in acts if act.intent == intent for pair in act.pairs]


def spoken_words(text: str) -> list[str]:
    """Split a text into lower-case words, as all measures count them."""
    return [word.lower() for word in words(text)]


class Participant(Record):
    """A participant of a dialogue."""

    id: str
    type: Literal["USER", "AGENT"]


class Utterance(Record):
    """An utterance of a dialogue."""

    speaker: Speaker
    text: str
    acts: tuple[Act, ...] = ()
    items: tuple[str, ...] = ()
    """Ids of the items that the utterance recommends or mentions, where known."""
    annotations: tuple[tuple[str, Any], ...] = ()
    """(name, value) labels by annotators or judges."""
    feedback: int | None = None
    """Feedback of a person: 0 thumb down, 1 thumb up, None without any."""
    extra: Mapping[str, Any] = {}
    """Other fields of the source format."""

    def does(self, intent: str) -> bool:
        """Whether one of the utterance's dialogue acts has this intent."""
        return any(act.intent == intent for act in self.acts)

    def pairs(self, intent: str) -> list[Pair]:
        """List the (slot, value) pairs of its acts of this intent."""
        return pairs_of(self.acts, intent)

    @property
    def act_names(self) -> list[str]:
        """Name each act by speaker and intent, such as "user DISCLOSE"."""
        return [f"{self.speaker} {act.intent}" for act in self.acts]

    @property
    def offers(self) -> bool:
        """Whether it recommends items: it has a RECOMMEND act, or items but no acts."""
        return self.speaker == "system" and (self.does("RECOMMEND") or (not self.acts and bool(self.items)))


def build_utterance(
    speaker: str, text: str, acts: Iterable[Act] = (), items: Iterable[str] = ()
) -> Utterance:
    """Build an utterance from trusted parts, without validation."""
    parts: dict[str, Any] = {"speaker": speaker, "text": text, "acts": tuple(acts), "items": tuple(items)}
    return Utterance.of_own(**parts, annotations=(), feedback=None, extra={})


def load_utterances(logged: Iterable[Mapping[str, Any]]) -> tuple[Utterance, ...]:
    """Build utterances from their JSON in a log, without validation and without offsets of values."""
    found = []
    for one in logged:
        acts = [build_act(a["intent"], *((s["slot"], s["value"]) for s in a["slots"])) for a in one["acts"]]
        found.append(build_utterance(one["speaker"], one["text"], acts, one["items"]))
    return tuple(found)


class Dialogue(Record):
    """A dialogue between a user and a system."""

    id: str
    utterances: tuple[Utterance, ...]
    system: Participant | None = None
    user: Participant | None = None
    need: Need | None = None
    metadata: Mapping[str, Any] = {}
    """Other fields of the source format."""


OTHER = "OTHER"


class Scheme(Record):
    """An annotation scheme: its names of intents and the openiir intents that they stand for.

    A dotted name that the scheme lacks is looked up by the part before its last dot.
    """

    name: str
    user: Mapping[str, str]
    """The scheme's user intents to openiir's."""
    system: Mapping[str, str]
    says: Mapping[str, str] = {}
    """openiir's user intents to the scheme's preferred name, where it is not the first in `user`."""

    def knows(self, speaker: Speaker, intent: str) -> bool:
        """Whether the scheme lists this intent."""
        return intent in (self.user if speaker == "user" else self.system)

    def ours(self, speaker: Speaker, intent: str) -> str:
        """Map an intent of the scheme to openiir's; OTHER for an unknown name."""
        names = self.user if speaker == "user" else self.system
        while intent not in names and "." in intent:
            intent = intent.rpartition(".")[0]
        return names.get(intent, OTHER)

    def theirs(self, speaker: Speaker, intent: str) -> str | None:
        """Map an openiir intent to the scheme's name; None if it has none."""
        if speaker == "user" and intent in self.says:
            return self.says[intent]
        names = self.user if speaker == "user" else self.system
        return next((name for name, meant in names.items() if meant == intent), None)


def to_openiir_acts(dialogue: Dialogue, scheme: Scheme, slots: Mapping[str, str] | None = None) -> Dialogue:
    """Convert a dialogue's acts to openiir's intents, and slot names by `slots` or to lower case.

    The file's other fields stay in `extra` and `metadata`; changed acts are written in openiir's spelling.
    """
    renamed = slots or {}
    said = []
    for one in dialogue.utterances:
        acts = []
        for act in one.acts:
            own = (s.model_copy(update={"slot": renamed.get(s.slot, s.slot.lower())}) for s in act.slots)
            acts.append(Act(intent=scheme.ours(one.speaker, act.intent), slots=tuple(own)))
        said.append(one.model_copy(update={"acts": tuple(acts)}))
    return dialogue.model_copy(update={"utterances": tuple(said)})


def all_to_openiir_acts(dialogues: Sequence[Dialogue]) -> tuple[Dialogue, ...]:
    """Convert dialogues of a known annotation scheme to openiir's intents; leave others unchanged."""
    scheme = scheme_of(dialogues)
    return tuple(to_openiir_acts(one, scheme) if scheme else one for one in dialogues)


def scheme_of(dialogues: Iterable[Dialogue]) -> Scheme | None:
    """Return the known scheme that most acts belong to; None if no scheme has at least half of them."""
    said = [utterance for dialogue in dialogues for utterance in dialogue.utterances]
    acts = [(utterance.speaker, act.intent) for utterance in said for act in utterance.acts]
    if not acts:
        return None
    shares = {name: fmean(scheme.knows(*act) for act in acts) for name, scheme in SCHEMES.items()}
    best = max(shares, key=lambda name: shares[name])
    return SCHEMES[best] if shares[best] >= 0.5 else None


_NAMES = read_text_table("""
user GREET | - | greeting | DISCLOSE.NON-DISCLOSE
user DISCLOSE | PRO IQU REF STO ANS |
    disclose_opinion disclose_experience rephrase_preference inquire_recommendation clarification |
    DISCLOSE DISCLOSE.REVIEW REVEAL REVEAL.EXPAND REVEAL.REFINE REVEAL.REVISE
user INQUIRE | INQ ASK | inquire_item_info opinion_inquiry experience_inquiry |
    INQUIRE INQUIRE.ITEMINFO INQUIRE.MORE INTERROGATE
user CONSUMED | SEE | seen_item | NOTE.YES NOTE.NOTE-YES
user LIKE | - | - | NOTE.LIKE
user NEUTRAL | NRE | neutral_response | NOTE.NEUTRAL
user DISLIKE | REJ | reject_recommendation | NOTE.DISLIKE NOTE.NOTE-DISLIKE
user CRITIQUE | CRI-F CRI-A CRI-C | - | -
user ACCEPT | ACC | accept_recommendation accept_uninterested | NOTE.ACCEPT
user YES | YES | YES | YES
user NO | NO | NO | NO NOTE.NO
user DONT_KNOW | DONT-KNOW | DONT-KNOW | DONT-KNOW
user GIVE_UP | - | - | -
user BYE | BYE END | goodbye | COMPLETE NOTE.NOTE-END
user OTHER | OTH CON | acknowledgment chit_chat similarity no_strategy |
    NOTE NAVIGATE INQUIRE.LIST INQUIRE.COMPARE INQUIRE.SUBSET INQUIRE.SIMILAR
system GREET | - | greeting | DISCLOSE.NON-DISCLOSE
system ELICIT | REQ CLA CLQ | opinion_inquiry experience_inquiry preference_confirmation |
    INQUIRE.ELICIT INQUIRE INQUIRE.CLARIFY INQUIRE.ELICIT-REVIEW
system RECOMMEND | REC-S REC-E | recommend |
    REVEAL REVEAL.SIMILAR REVEAL.LIST REVEAL.SUBSET SHOW SUGGEST TRAVERSE
system INFORM | EXP-I EXP-P EXP-S R-ANS ANS |
    credibility personal_opinion personal_experience self_modeling encouragement transparency |
    DISCLOSE.MORE EXPLAIN
system OFFER | - | offer_help | INQUIRE.MORE INQUIRE.NEXT
system NOTHING_FOUND | - | - | REVEAL.NONE FAILED
system ACKNOWLEDGE | RESP RES | acknowledgment similarity rephrase_preference | RECORD
system BYE | END | goodbye | END
system OTHER | OTH | no_strategy chit_chat | -
""")
"""Names of each openiir intent in the schemes IARD, INSPIRED and CIR6, separated by blanks; - for none.

IARD (Cai and Chen, UMAP 2020) has UserSimCRS's additions END, CLA, RES, ANS, DONT-KNOW, YES and NO, INSPIRED
(Hayati et al., EMNLP 2020) UserSimCRS's seeker intents, and CIR6 (Zhang and Balog, KDD 2020) the variants of
Afzali et al. and MovieBot.
"""


def _read_scheme(name: str, column: int) -> Scheme:
    sides: dict[str, dict[str, str]] = {"user": {}, "system": {}}
    for key, names in _NAMES.items():
        speaker, _, ours = key.partition(" ")
        sides[speaker] |= {theirs: ours for theirs in names[column].split() if theirs != "-"}
    return Scheme(name=name, **sides)


_OURS = Scheme(name="openiir", user={i: i for i in USER_INTENTS}, system={i: i for i in SYSTEM_INTENTS})
SCHEMES: Mapping[str, Scheme] = {
    "openiir": _OURS,
    **{name: _read_scheme(name, column) for column, name in enumerate(("iard", "inspired", "cir"))},
}
"""Known annotation schemes by name; `openiir` is the package's own."""
