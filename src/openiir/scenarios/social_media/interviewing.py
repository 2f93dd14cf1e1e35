"""Interviews with the cast after a run, from what each wrote and looked at."""

from openiir.kit.interviewing import AfterRunFacts, look_back
from openiir.kit.prompting import cut_text
from openiir.plugin import EpisodicMemory, Interview, Log, Persona, first_largest
from openiir.scenarios.social_media.actions import Exposed
from openiir.scenarios.social_media.questions import REPOST, AfterMedium
from openiir.scenarios.social_media.writing import LONGEST

_DID = ("read", "liked", "disliked", "commented on", "reposted")
_OWN = 0.5
"""Importance of what somebody wrote or reposted."""


def interview(log: Log, persona: Persona, asked: str) -> AfterMedium:
    """Build the interview question to one member of the cast; posts that are numbers alone are left out."""
    memory, row = EpisodicMemory(persona.memory), log.members.row(persona.id)
    looks = Exposed.columns(log, member=row)
    posts = log.columns("posts", ["id", "author", "parent", "kind", "minute", "text"])
    known = set(looks["post"].tolist())
    lived = []
    for n, id in enumerate(posts["id"].tolist() if posts else []):
        text, author = posts["text"][n], int(posts["author"][n])
        answered = int(posts["author"][posts["parent"][n]]) if posts["kind"][n] == "comment" else None
        to = "" if answered is None else f" to {'you' if answered == row else log.members.name(answered)}"
        if text and author == row:
            lived.append((float(posts["minute"][n]), f'you wrote{to}: "{cut_text(text, LONGEST)}"', _OWN))
        elif text and id in known:
            at = int(first_largest(looks["post"] == id))
            did = int(looks["did"][at])
            words = f'you {_DID[did]} what {log.members.name(author)} wrote{to}: "{cut_text(text, LONGEST)}"'
            lived.append((float(looks["minute"][at]), words, _OWN * (did == REPOST)))
    for _, text, importance in sorted(lived):
        memory.store(text, importance)
    statement = log.study["config"]["statement"]
    part = f'You have been on a social medium, where many talked about this: "{statement}"'
    return AfterMedium(AfterRunFacts(part, look_back(memory, asked), asked))


def statements(log: Log, agent: str) -> list[tuple[str, str]]:
    """List the claims of a member of the cast, for its participant to agree or disagree with."""
    return [(claim.id, claim.text) for claim in log.claims() if claim.speaker == agent]


INTERVIEW = Interview("chat", "Ask a member about what they wrote and read", interview, statements)
