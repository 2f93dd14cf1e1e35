"""A question in its place, and the answer to it."""

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from openiir.core.asking.question import Question
from openiir.core.records import Message, Persona, Place, Record
from openiir.core.seeds import Draw


@dataclass(frozen=True)
class Asked:
    """A question put to someone at a place in the run."""

    place: Place
    question: Question[Any]
    persona: Persona | None
    """None for a role such as the moderator."""
    draw: Draw
    """Bound to the place: purpose is the question's kind, item its subject and ordinal."""

    def messages(self) -> tuple[Message, ...]:
        """The prompt as sent: who is asked, what is asked, and the form of the reply."""
        role = persona_words(self.persona) if self.persona else self.question.system()
        user = Message(role="user", text=f"{self.question.prompt()}\n\n{reply_words(self.question.Reply)}")
        return (Message(role="system", text=role), user) if role else (user,)


@dataclass(frozen=True)
class Answer:
    """What came of a question."""

    reply: Record | None
    """None where no usable answer came."""
    answerer: str
    reply_tokens: int = 0
    prompt_tokens: int = 0
    attempts: int = 1
    failure: str | None = None


def persona_words(persona: Persona) -> str:
    """A persona as a model's system prompt."""
    lines = [f"You are {persona.name}. {persona.bio}", "Speak and decide as this person would."]
    if persona.stance is not None:
        leaning = ("against", "undecided about", "in favour of")[round(persona.stance) + 1]
        lines.append(f"On the topic at hand you start out {leaning} it ({persona.stance:+.2f} from -1 to +1).")
    factors = persona.big_five.model_dump()
    marked = [f"{'high' if v > 0.65 else 'low'} {name}" for name, v in factors.items() if not 0.35 <= v <= 0.65]
    if marked:
        lines.append(f"Temperament: {', '.join(marked)}.")
    if persona.interests:
        lines.append(f"You care about: {', '.join(persona.interests)}.")
    lines += [f"{name.replace('_', ' ')}: {value}." for name, value in sorted(persona.traits.items())]
    return "\n".join(lines)


@lru_cache(maxsize=512)
def schema_of(reply: type[Record]) -> dict[str, Any]:
    """A reply's JSON schema, without what only people read."""
    return dict(_bare(reply.model_json_schema()))


@lru_cache(maxsize=512)
def reply_words(reply: type[Record]) -> str:
    """How the reply must look, in words and as schema, for endpoints that cannot enforce one."""
    schema = json.dumps(schema_of(reply), sort_keys=True, separators=(",", ":"))
    return f"Reply with one JSON object and nothing else. It must fit this JSON schema:\n{schema}"


def _bare(node: Any) -> Any:
    if isinstance(node, dict):
        return {
            key: {name: _bare(sub) for name, sub in value.items()} if key in ("properties", "$defs") else _bare(value)
            for key, value in node.items()
            if key != "title"
        }
    return [_bare(item) for item in node] if isinstance(node, list) else node
