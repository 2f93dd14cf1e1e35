"""Dialogues with information systems: one record of them, the acts in them, and the formats they come in."""

from openiir.scenarios.conversational.dialogue.intents import (
    SYSTEM_INTENTS,
    TITLE,
    USER_INTENTS,
    SystemIntent,
    UserIntent,
)
from openiir.scenarios.conversational.dialogue.need import Need
from openiir.scenarios.conversational.dialogue.records import Act, Dialogue, Participant, Slot, Utterance
from openiir.scenarios.conversational.dialogue.schemes import (
    SCHEMES,
    Scheme,
    all_in_our_terms,
    in_our_terms,
    scheme_of,
)

__all__ = [
    "Act",
    "Dialogue",
    "Need",
    "Participant",
    "SCHEMES",
    "SYSTEM_INTENTS",
    "Scheme",
    "Slot",
    "SystemIntent",
    "TITLE",
    "USER_INTENTS",
    "UserIntent",
    "Utterance",
    "all_in_our_terms",
    "in_our_terms",
    "scheme_of",
]
