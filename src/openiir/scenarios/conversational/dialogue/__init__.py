"""Dialogue records, dialogue acts, and readers and writers of dialogue formats."""

from openiir.scenarios.conversational.dialogue.records import (
    SYSTEM_INTENTS,
    TITLE,
    USER_INTENTS,
    Act,
    Dialogue,
    Need,
    Participant,
    Slot,
    Speaker,
    SystemIntent,
    UserIntent,
    Utterance,
    build_act,
)
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
    "Speaker",
    "SystemIntent",
    "TITLE",
    "USER_INTENTS",
    "UserIntent",
    "Utterance",
    "all_in_our_terms",
    "build_act",
    "in_our_terms",
    "scheme_of",
]
