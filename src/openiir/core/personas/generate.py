"""One-pass generation of personas from a world model: each viewpoint in the corpus is asked once for its person."""

import asyncio
import unicodedata
from collections.abc import Awaitable, Callable, Sequence

from openiir.core.errors import InputError
from openiir.core.personas.names import NAMES
from openiir.core.personas.questions import DraftPersona, PersonaDraft
from openiir.core.personas.viewpoints import Leaning, viewpoints
from openiir.core.records import BigFive, Budget, Chunk, Persona

Ask = Callable[[DraftPersona], Awaitable[PersonaDraft]]
"""Who answers is decided by the caller: offline, a model, a recording."""

ORDINARY_BUDGET = Budget(tokens=4_000, searches=1)


async def generate(
    chunks: Sequence[Chunk],
    topic: str,
    n: int,
    ask: Ask,
    budget: Budget = ORDINARY_BUDGET,
    leaning: Leaning | None = None,
) -> tuple[Persona, ...]:
    """`n` personas with distinct ids, stances spread over the range, and interests that occur in the chunks.

    The questions are asked at once, each with a subject of its own (`p0001`, ...); their order is that of the
    personas. `leaning` orders the viewpoints, such as a stance towards the topic; by default it is VADER's
    tone. Raises InputError for a blank topic, no chunks with words, or `n` outside 1..1600.
    """
    if not 1 <= n <= NAMES:
        raise InputError(f"{n} personas were asked for; ask for 1 to {NAMES}")
    if not topic.strip():
        raise InputError("the topic is blank; name the proposition that the personas are to debate")
    questions = [
        DraftPersona(" ".join(topic.split()), number, n, view.terms, view.passages, view.lean)
        for number, view in enumerate(viewpoints(chunks, topic, n, leaning), start=1)
    ]
    drafts = await asyncio.gather(*(ask(question) for question in questions))
    taken: set[str] = set()
    return tuple(_persona(draft, _free_id(draft.name, taken), budget) for draft in drafts)


def _persona(draft: PersonaDraft, id: str, budget: Budget) -> Persona:
    return Persona(
        id=id,
        name=draft.name,
        bio=draft.bio,
        tokens=budget.tokens,
        searches=budget.searches,
        stance=draft.stance / 100,
        influence=1.0,
        interests=tuple(dict.fromkeys(" ".join(word.split()) for word in draft.interests)),
        big_five=BigFive(**{factor: getattr(draft, factor) / 100 for factor in BigFive.model_fields}),
    )


def _free_id(name: str, taken: set[str]) -> str:
    """An id made of the name, with a number behind it where another persona has it; adds it to `taken`."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    stem = "-".join("".join(c if c.isalnum() else " " for c in plain).split())[:56].strip("-") or "persona"
    id, number = stem, 2
    while id in taken:
        id, number = f"{stem}-{number}", number + 1
    taken.add(id)
    return id
