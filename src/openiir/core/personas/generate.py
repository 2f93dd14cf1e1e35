"""Generation of personas from a world: one drafting question per viewpoint in the corpus."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from unicodedata import normalize

from openiir.core.errors import InputError
from openiir.core.hashing import sha256
from openiir.core.personas.names import NAMES, invented_name
from openiir.core.personas.questions import DraftPersona, PersonaDraft
from openiir.core.personas.viewpoints import Leaning, viewpoints
from openiir.core.records import BigFive, Chunk, Persona
from openiir.core.stances import stance_word

Ask = Callable[[DraftPersona], Awaitable[PersonaDraft]]
"""Function that answers the drafting question: offline, by a model, or from a recording."""

SEARCHES = 1
"""Number of web searches that a generated persona may make in a run."""


async def generate_personas(
    chunks: Sequence[Chunk], topic: str, n: int, ask: Ask, leaning: Leaning | None = None
) -> tuple[Persona, ...]:
    """Generate `n` personas with distinct ids, stances spread over the range, and interests from the chunks.

    The questions are asked concurrently, each with its own subject (`p0001`, ...); their order is that of the
    personas. `leaning` orders the viewpoints, such as a stance towards the topic; by default it is VADER's
    tone. Raises InputError for a blank topic, no chunks with words, or `n` outside 1..1600.
    """
    if not 1 <= n <= NAMES:
        raise InputError(f"{n} personas were asked for; ask for 1 to {NAMES}")
    if not topic.strip():
        raise InputError("the topic is blank; name the proposition that the personas are to debate")
    topic = " ".join(topic.split())
    first = int(sha256(topic)[:8], 16) % NAMES
    views = viewpoints(chunks, topic, n, leaning)
    questions = [
        DraftPersona(
            f"p{number:04d}",
            topic,
            invented_name(first + number),
            stance_word(view.lean),
            view.passages,
            view.terms,
        )
        for number, view in enumerate(views, start=1)
    ]
    drafts = await asyncio.gather(*map(ask, questions))
    return tuple(
        Persona(
            id="-".join(normalize("NFKD", one.name).encode("ascii", "ignore").decode().lower().split()),
            name=one.name,
            bio=draft.bio,
            searches=SEARCHES,
            stance=view.lean,
            interests=tuple(dict.fromkeys(" ".join(word.split()) for word in draft.interests)),
            big_five=BigFive(**{factor: getattr(draft, factor) / 100 for factor in BigFive.model_fields}),
        )
        for draft, one, view in zip(drafts, questions, views, strict=True)
    )
