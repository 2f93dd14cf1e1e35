"""Closing statement of an offline panelist: how the stance moved, and which claim weighed most."""

import re
from collections.abc import Mapping, Sequence

from openiir.kit.text_tables import read_text_table
from openiir.plugin import Draw, stance_word
from openiir.scenarios.panel.model.speaking.wording import contains_claim, stance_sentence

_WORDINGS = read_text_table("""
stayed | I came in {now} and I still am. | I am {now}, as I was at the start. |
    Nothing here has moved me far: I am still {now}. | I leave as I came, {now}.
within | I am still {now}, {how} so than at the start. | I came in {now} and leave {now}, if {how} so.
moved | I came in {first} and leave {now}. | At the start I was {first}; by now I am {now}. |
    I was {first} when we began, and I leave {now}. | From {first} I have come to {now}. |
    Where I was {first}, I am {now} by now. | I have gone from {first} to {now} here.
moved plain | Let me say where I am by now: {now}, and at the start {first}. |
    Let me close where I am by now, {now}, not where I was, {first}.
stayed plain | Let me close where I came in, {now}. | Let me leave it there: {now}, now as before.
weighed | What weighed most with me is what {speaker} said on {matter}. |
    {speaker} on {matter} is what stays with me. | I keep coming back to {speaker} on {matter}. |
    Of all that was said, {speaker} on {matter} weighed most. |
    If one thing goes home with me, it is {speaker} on {matter}. |
    Let me name what weighed most with me: {speaker} on {matter}. |
    For me the point of the day is {speaker}'s, on {matter}.
own | Nobody here has shaken my own point about {own}. | My own point about {own} is still on the table. |
    On {own} I am where I was.
""")
"""Sentences on how far a stance moved (`plain` where others read as claims), and on what weighed most."""
SLIGHT = 0.1
"""Smallest change of stance that a closing statement mentions."""


def compose_last_word(
    first: float, now: float, blanks: Mapping[str, str], heard: Sequence[str], draw: Draw
) -> str:
    """Compose a closing statement of one to three sentences.

    `blanks` holds the `speaker` and `matter` of the claim that weighed most, and the speaker's `own` point.
    An empty blank leaves its sentence out.
    """
    how = "less" if abs(now) < abs(first) else "more"
    words = {"first": stance_word(first), "now": stance_word(now), "how": how}
    kind, plain = "moved", "moved plain"
    if words["first"] == words["now"]:
        kind, plain = "within", "stayed plain"
        if abs(now - first) < SLIGHT or words["now"] == "undecided":
            kind = "stayed"
    parts = [_next_wording(kind, heard, draw, words) or _next_wording(plain, heard, draw, words)]
    if blanks.get("speaker") and blanks.get("matter"):
        parts.append(_next_wording("weighed", heard, draw, blanks))
    if blanks.get("own"):
        parts.append(_next_wording("own", heard, draw, blanks))
    return " ".join(part for part in parts if part) or f"{stance_sentence(now, 0)}."


def _next_wording(kind: str, heard: Sequence[str], draw: Draw, blanks: Mapping[str, str]) -> str:
    """Choose the least recently heard wording of a kind that does not read as a claim; empty without one."""
    wordings = _WORDINGS[kind]
    first = int(draw.below(len(wordings), item="last-word"))
    turned = [wordings[(first + i) % len(wordings)] for i in range(len(wordings))]

    def last_heard(wording: str) -> int:
        found = re.compile(re.sub(r"\\\{\w+\\\}", ".{1,80}?", re.escape(wording)), re.IGNORECASE)
        return max((n for n, text in enumerate(heard, 1) if found.search(text)), default=0)

    for wording in sorted(turned, key=last_heard):
        text = wording.format(**blanks)
        text = text[:1].upper() + text[1:]
        if not contains_claim(text):
            return text
    return ""
