"""The intents of dialogue acts, to which other schemes are mapped."""

from typing import Literal, get_args

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
"""DISCLOSE says what one wants (slot=value), INQUIRE asks for a slot of the item talked about, CRITIQUE says what the
item should have had (slot=value), ACCEPT takes it, GIVE_UP ends in vain and BYE otherwise."""
SystemIntent = Literal[
    "GREET", "ELICIT", "RECOMMEND", "INFORM", "OFFER", "NOTHING_FOUND", "ACKNOWLEDGE", "BYE", "OTHER"
]
"""ELICIT asks for a slot, or whether a slot=value is wanted; RECOMMEND names items (title=...); INFORM gives slots of the
item talked about; OFFER offers to tell more, about named slots or any."""
USER_INTENTS: tuple[UserIntent, ...] = get_args(UserIntent)
SYSTEM_INTENTS: tuple[SystemIntent, ...] = get_args(SystemIntent)
TITLE = "title"
"""The slot of what an item is called."""
