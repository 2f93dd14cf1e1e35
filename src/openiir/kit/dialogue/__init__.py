"""Dialogues with information systems: one record of them, the acts in them, and the formats they come in."""

from openiir.kit.dialogue.intents import SYSTEM_INTENTS, TITLE, USER_INTENTS, SystemIntent, UserIntent
from openiir.kit.dialogue.need import Need
from openiir.kit.dialogue.records import Act, Dialogue, Participant, Slot, Utterance
from openiir.kit.dialogue.schemes import SCHEMES, Scheme, all_in_our_terms, in_our_terms, scheme_of

__all__ = [
    "SCHEMES",
    "SYSTEM_INTENTS",
    "TITLE",
    "USER_INTENTS",
    "Act",
    "Dialogue",
    "Need",
    "Participant",
    "Scheme",
    "Slot",
    "SystemIntent",
    "UserIntent",
    "Utterance",
    "all_in_our_terms",
    "in_our_terms",
    "scheme_of",
]
