"""Dialogues with information systems: one record of them, the acts in them, and the formats they come in."""

from openiir.kit.dialogue.intents import SystemIntent, UserIntent
from openiir.kit.dialogue.need import Need
from openiir.kit.dialogue.records import Act, Dialogue, Participant, Slot, Utterance

__all__ = ["Act", "Dialogue", "Need", "Participant", "Slot", "SystemIntent", "UserIntent", "Utterance"]
