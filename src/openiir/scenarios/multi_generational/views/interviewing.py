"""Interviews with agents of any generation, from what each wrote or judged."""

from collections.abc import Mapping

from openiir.kit.interviewing import look_back
from openiir.kit.prompting import cut_text
from openiir.plugin import EpisodicMemory, Interview, Log, Persona
from openiir.scenarios.multi_generational.model.credibility.beliefs import word_belief
from openiir.scenarios.multi_generational.model.credibility.claim_posts import POST_BY, word_source
from openiir.scenarios.multi_generational.questions import AfterGeneration
from openiir.scenarios.multi_generational.run.actions import Judged, Posted

_LONGEST = 240
"""Characters of a post in a memory."""
_PARTS = {
    "producer": "You wrote short posts about matters of everyday knowledge, and some who checked them took "
    "posts down.",
    "detector": "You checked short posts about matters of everyday knowledge, and said how true you took "
    "them to be.",
}


def original_id(agent: str) -> str:
    """Return the agent's original id; agents rebuilt for the last step have another."""
    return agent.removeprefix("again-")


def name_source(source: str, names: Mapping[str, str]) -> str:
    """Name a source as readers saw it: a page by its subject, a post by its author."""
    author = source.partition("/")[0]
    named = POST_BY + names[author] if author in names else source
    return word_source(named) if named else "nothing"


def interview(log: Log, persona: Persona, asked: str) -> AfterGeneration:
    """Build the interview question to an agent from its own posts or judgements in the log."""
    memory, id = EpisodicMemory(persona.memory), persona.id
    names = {one.id: one.name for one in log.personas}
    for _, posted in Posted.read(log, actor=id):
        for text, uses, landed in zip(posted.texts, posted.uses, posted.landed, strict=True):
            found = f", from {', '.join(name_source(one, names) for one in uses)}" if uses else ""
            became = "stood" if landed else "was taken down"
            if text:
                memory.store(f'you posted{found}: "{cut_text(text, _LONGEST)}" It {became}.')
    doubted = dict[str, float]()
    for event, judged in Judged.read(log, actor=id):
        then = Posted.read(log, since=event.step - 1, until=event.step)
        texts = [text for _, one in then for text in one.texts]
        for text, p, seen in zip(texts, judged.p, judged.seen, strict=True):
            if text and text not in doubted:
                said = f'you said "{word_belief(p)}", having found {name_source(seen, names)}, of the post'
                memory.store(f'{said}: "{cut_text(text, _LONGEST)}"', abs(p - 0.5))
                doubted[text] = p
    for word, extreme in (("doubted", max), ("believed", min)) if doubted else ():
        text = extreme(doubted, key=doubted.__getitem__)
        said = f'you said "{word_belief(doubted[text])}", and {word} no post more'
        memory.store(f'{said}: "{cut_text(text, _LONGEST)}"', 1.0)
    return AfterGeneration(_PARTS[original_id(id).partition("-")[0]], look_back(memory, asked), asked)


def statements(log: Log, agent: str) -> list[tuple[str, str]]:
    """List the posts of a producer, for its participant to agree or disagree with; a detector has none."""
    return [
        (f"{one.generation}/{n}", text)
        for _, one in Posted.read(log, actor=agent)
        for n, text in enumerate(one.texts)
        if text
    ]


_TITLE = "Ask an agent of any generation about its posts or judgements"
INTERVIEW = Interview("chat", _TITLE, interview, statements, heard=frozenset({Posted.kind}))
