"""Stub."""
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple


class ReadPassage(NamedTuple):
    text: str
    source: str
@dataclass(frozen=True)
class PostOrder:
    claim: str
    form: str
    cues: tuple
    boldness: float
    expertise: str
    passages: Sequence[ReadPassage]
    support: Sequence[float]
class ClaimPost(NamedTuple):
    text: str
    cites: tuple
def write_claim_post(order, draw):
    parts=[]; cites=()
    u=[draw.at("cue").uniform(item=str(i)) for i in range(6)]
    if order.passages and u[0]<order.cues[0] and (order.support[0]>0 or u[1]<order.boldness):
        parts.append(f"According to {order.passages[0].source}, " + order.passages[0].text.split(". ")[0][:150]+"."); cites=(0,)
    parts.append(order.claim)
    if u[1]<order.cues[1]: parts.append("It seems so, perhaps.")
    if u[3]<order.cues[3]: parts.append("I have seen it with my own eyes.")
    if u[4]<order.cues[4]: parts.append(f"As {order.expertise}, I ask experts.")
    if u[5]<order.cues[5]: parts.append("Share this now!")
    return ClaimPost(" ".join(parts)[:600], cites)
