"""Questions bound to a place in a run, their prompts and their answers."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from openiir.core.asking.question import Question
from openiir.core.asking.reply_schema import question_schema
from openiir.core.records import Message, Persona, Place, Record
from openiir.core.seeds import Draw

MOST_LISTED = 12
"""Most enumerated values of a reply field that a prompt lists."""
Form = Literal["example", "schema"]
"""How a prompt shows the reply format: by an example or as JSON schema."""


@dataclass(frozen=True)
class PlacedQuestion:
    """A question with its ledger key (its place in the run), persona and random draw."""

    place: Place
    question: Question[Any]
    persona: Persona | None
    """Persona who answers; None for a role such as the moderator."""
    draw: Draw
    """Random draw keyed by the place: purpose is the question's kind, item its subject and ordinal."""
    form: Form = "example"

    def messages(self) -> tuple[Message, ...]:
        """Build the prompt's messages."""
        return build_messages(self.question, self.persona, self.form)


@dataclass(frozen=True)
class Answer:
    """The answer to a question, or the reason why there is none."""

    reply: Record | None
    """The typed reply; None if there is no usable answer."""
    answerer: str
    reply_tokens: int = 0
    prompt_tokens: int = 0
    attempts: int = 1
    failure: str | None = None


def build_messages(question: Question[Any], persona: Persona | None, form: Form) -> tuple[Message, ...]:
    """Build a prompt's messages (role, question, reply format) from the question's facts and the persona."""
    facts = question.facts_only
    role = facts.system() or (persona_words(persona) if persona else "")
    text = f"{facts.prompt()}\n\n{form_words(facts, form)}"
    user = Message(role="user", text=text, images=tuple(facts.images()))
    return (Message(role="system", text=role), user) if role else (user,)


def persona_words(persona: Persona) -> str:
    """Write a persona as a system prompt for a language model.

    Omitted are the stance, which changes and so belongs to the question; decimal traits, which are parameters
    of behaviour models; and the trait `group`, a stratum of the population.
    """
    lines = [_introduction(persona.name, persona.bio)]
    if temper := [words for name, value in persona.big_five if (words := _temper_words(name, value))]:
        lines.append(f"{_join_sentences(*temper)}.")
    if persona.interests:
        lines.append(f"Words that catch your ear: {', '.join(persona.interests)}.")
    lines += [
        _trait_line(name, v)
        for name, v in sorted(persona.traits.items())
        if not isinstance(v, float) and name != "group"
    ]
    return "\n".join(
        [*lines, "", "Answer as this person would: from what they know and believe, in their own voice."]
    )


def _introduction(name: str, bio: str) -> str:
    """Introduce a persona by name and bio, dropping the name from a bio that starts with it."""
    rest = bio.removeprefix(f"{name} ")
    if rest == bio:
        return f"You are {name}. {bio}"
    noun = re.match("is (?=an? |the )", rest)
    return f"You are {name}, {rest[noun.end() :] if noun else f'who {rest}'}"


_TEMPER = {
    "openness": (
        "You stick firmly to what you know",
        "You prefer what you know",
        "You are curious",
        "You are drawn to all that is new",
    ),
    "conscientiousness": (
        "You let things slide",
        "You take things as they come",
        "You like things in order",
        "You are orderly to the last detail",
    ),
    "extraversion": (
        "You say little and keep to yourself",
        "You are on the quiet side",
        "You are outgoing",
        "You are outspoken and seek company",
    ),
    "agreeableness": (
        "You are blunt and do not give way",
        "You say what you think, welcome or not",
        "You are obliging",
        "You are warm and quick to trust",
    ),
    "neuroticism": (
        "Nothing unsettles you",
        "You are even-tempered",
        "You worry easily",
        "You worry a great deal",
    ),
}
"""Phrases for each Big Five factor: very low, low, high, very high; middle values have no phrase."""


def _temper_words(factor: str, value: float) -> str:
    words = _TEMPER[factor]
    if 0.35 < value < 0.65:
        return ""
    return words[0 if value <= 0.2 else 1 if value <= 0.35 else 3 if value >= 0.8 else 2]


def _join_sentences(first: str, *rest: str) -> str:
    """Join sentences that begin with "You" into one."""
    *middle, last = (first, *(sentence[0].lower() + sentence[1:] for sentence in rest))
    return f"{', '.join(middle)} and {last}" if middle else last


def _trait_line(name: str, value: str | int | bool) -> str:
    words = ("no", "yes")[value] if isinstance(value, bool) else value
    return f"{name.replace('_', ' ').capitalize()}: {words}."


def form_words(question: Question[Any], form: Form) -> str:
    """Write instructions for the reply format: an example with remarks on its fields, or the JSON schema."""
    schema = question_schema(question)
    if question.example is None or form == "schema":
        return reply_words(schema)
    shown = json.dumps(question.example.model_dump(mode="json"), ensure_ascii=False)
    lines = [f"- {name}: {words}" for name, words in _field_lines(schema)]
    return "\n".join(
        [
            f"Answer with one JSON object and nothing else, such as this one on another matter:\n{shown}",
            *lines,
        ]
    )


def reply_words(schema: Mapping[str, Any]) -> str:
    """Write instructions for the reply format as JSON schema, for endpoints that cannot enforce one."""
    shown = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    return f"Reply with one JSON object and nothing else. It must fit this JSON schema:\n{shown}"


def _field_lines(schema: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """List reply fields with a description or enumerated values, nested ones included, as (name, text)."""
    for name, field in schema.get("properties", {}).items():
        kinds = field.get("anyOf", [field])
        inner: dict[str, Any] = next(
            (kind for kind in (k.get("items", k) for k in kinds) if "enum" in kind or "properties" in kind),
            {},
        )
        options = [str(value) for value in inner.get("enum", ())]
        listed = (
            " | ".join(options) if 0 < len(options) <= MOST_LISTED and inner.get("type") != "integer" else ""
        )
        if words := "; ".join(filter(None, (field.get("description", ""), listed))):
            yield name, words
        yield from _field_lines(inner)
