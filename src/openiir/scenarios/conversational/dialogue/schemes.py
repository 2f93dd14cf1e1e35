"""Mapping of the intents of published annotation schemes to openiir's intents and back."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

from openiir.plugin import Record
from openiir.scenarios.conversational.dialogue.records import (
    SYSTEM_INTENTS,
    USER_INTENTS,
    Act,
    Dialogue,
    Speaker,
    Utterance,
)

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


def in_our_terms(dialogue: Dialogue, scheme: Scheme, slots: Mapping[str, str] | None = None) -> Dialogue:
    """Convert a dialogue's acts to openiir's intents, and its slots by `slots` or to lower case.

    The file's other fields stay in `extra` and `metadata`; changed acts are written in openiir's spelling.
    """
    renamed = slots or {}

    def act_of(act: Act, speaker: Speaker) -> Act:
        own = tuple(s.model_copy(update={"slot": renamed.get(s.slot, s.slot.lower())}) for s in act.slots)
        return Act(intent=scheme.ours(speaker, act.intent), slots=own)

    def utterance_of(said: Utterance) -> Utterance:
        return said.model_copy(update={"acts": tuple(act_of(act, said.speaker) for act in said.acts)})

    return dialogue.model_copy(update={"utterances": tuple(map(utterance_of, dialogue.utterances))})


def all_in_our_terms(dialogues: Sequence[Dialogue]) -> tuple[Dialogue, ...]:
    """Convert dialogues of a known annotation scheme to openiir's intents; leave others unchanged."""
    scheme = scheme_of(dialogues)
    return tuple(one if scheme is None else in_our_terms(one, scheme) for one in dialogues)


def scheme_of(dialogues: Iterable[Dialogue]) -> Scheme | None:
    """Return the known scheme that most acts belong to; None if no scheme has at least half of them."""
    acts = [
        (said.speaker, act.intent)
        for dialogue in dialogues
        for said in dialogue.utterances
        for act in said.acts
    ]
    if not acts:
        return None
    share, best = max(
        ((fmean(scheme.knows(*act) for act in acts), scheme) for scheme in SCHEMES.values()),
        key=lambda pair: pair[0],
    )
    return best if share >= 0.5 else None


def _scheme(name: str, user: Mapping[str, str], system: Mapping[str, str]) -> Scheme:
    """Build a scheme from its names for each openiir intent, separated by blanks."""

    def invert(names: Mapping[str, str]) -> dict[str, str]:
        return {theirs: ours for ours, called in names.items() for theirs in called.split()}

    return Scheme(name=name, user=invert(user), system=invert(system))


_OURS = _scheme(
    "openiir",
    {intent: intent for intent in USER_INTENTS},
    {intent: intent for intent in SYSTEM_INTENTS},
)
_IARD = _scheme(
    "iard",
    {
        "DISCLOSE": "PRO IQU REF STO ANS",
        "INQUIRE": "INQ ASK",
        "CONSUMED": "SEE",
        "ACCEPT": "ACC",
        "DISLIKE": "REJ",
        "NEUTRAL": "NRE",
        "CRITIQUE": "CRI-F CRI-A CRI-C",
        "YES": "YES",
        "NO": "NO",
        "DONT_KNOW": "DONT-KNOW",
        "BYE": "BYE END",
        "OTHER": "OTH CON",
    },
    {
        "ELICIT": "REQ CLA CLQ",
        "RECOMMEND": "REC-S REC-E",
        "INFORM": "EXP-I EXP-P EXP-S R-ANS ANS",
        "ACKNOWLEDGE": "RESP RES",
        "BYE": "END",
        "OTHER": "OTH",
    },
)
"""Scheme of IARD (Cai and Chen, UMAP 2020) with UserSimCRS's additions END, CLA, RES, ANS, DONT-KNOW, YES and NO."""
_INSPIRED = _scheme(
    "inspired",
    {
        "GREET": "greeting",
        "DISCLOSE": "disclose_opinion disclose_experience rephrase_preference inquire_recommendation clarification",
        "INQUIRE": "inquire_item_info opinion_inquiry experience_inquiry",
        "CONSUMED": "seen_item",
        "ACCEPT": "accept_recommendation accept_uninterested",
        "DISLIKE": "reject_recommendation",
        "NEUTRAL": "neutral_response",
        "YES": "YES",
        "NO": "NO",
        "DONT_KNOW": "DONT-KNOW",
        "BYE": "goodbye",
        "OTHER": "acknowledgment chit_chat similarity no_strategy",
    },
    {
        "GREET": "greeting",
        "ELICIT": "opinion_inquiry experience_inquiry preference_confirmation",
        "RECOMMEND": "recommend",
        "INFORM": "credibility personal_opinion personal_experience self_modeling encouragement transparency",
        "OFFER": "offer_help",
        "ACKNOWLEDGE": "acknowledgment similarity rephrase_preference",
        "BYE": "goodbye",
        "OTHER": "no_strategy chit_chat",
    },
)
"""Scheme of INSPIRED (Hayati et al., EMNLP 2020) with UserSimCRS's seeker intents."""
_CIR = _scheme(
    "cir",
    {
        "GREET": "DISCLOSE.NON-DISCLOSE",
        "DISCLOSE": "DISCLOSE DISCLOSE.REVIEW REVEAL REVEAL.EXPAND REVEAL.REFINE REVEAL.REVISE",
        "INQUIRE": "INQUIRE INQUIRE.ITEMINFO INQUIRE.MORE INTERROGATE",
        "CONSUMED": "NOTE.YES NOTE.NOTE-YES",
        "LIKE": "NOTE.LIKE",
        "DISLIKE": "NOTE.DISLIKE NOTE.NOTE-DISLIKE",
        "NEUTRAL": "NOTE.NEUTRAL",
        "ACCEPT": "NOTE.ACCEPT",
        "YES": "YES",
        "NO": "NO NOTE.NO",
        "DONT_KNOW": "DONT-KNOW",
        "BYE": "COMPLETE NOTE.NOTE-END",
        "OTHER": "NOTE NAVIGATE INQUIRE.LIST INQUIRE.COMPARE INQUIRE.SUBSET INQUIRE.SIMILAR",
    },
    {
        "GREET": "DISCLOSE.NON-DISCLOSE",
        "ELICIT": "INQUIRE.ELICIT INQUIRE INQUIRE.CLARIFY INQUIRE.ELICIT-REVIEW",
        "RECOMMEND": "REVEAL REVEAL.SIMILAR REVEAL.LIST REVEAL.SUBSET SHOW SUGGEST TRAVERSE",
        "INFORM": "DISCLOSE.MORE EXPLAIN",
        "OFFER": "INQUIRE.MORE INQUIRE.NEXT",
        "NOTHING_FOUND": "REVEAL.NONE FAILED",
        "ACKNOWLEDGE": "RECORD",
        "BYE": "END",
    },
)
"""Scheme CIR6 (Zhang and Balog, KDD 2020) with the variants of Afzali et al. and MovieBot."""
SCHEMES: Mapping[str, Scheme] = {scheme.name: scheme for scheme in (_OURS, _IARD, _INSPIRED, _CIR)}
"""Known annotation schemes by name; `openiir` is the package's own."""
