"""How do you say this? (asked of a simulated user, who has decided what to do)"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from pydantic import Field

from openiir.kit.dialogue import Act
from openiir.plugin import Draw, Record, Unsplit, UnusableAnswer
from openiir.scenarios.conversational.questions.understand import MEANINGS, plain
from openiir.scenarios.conversational.understanding.notation import format_acts

LONGEST = 1_000
"""Characters that a user says at once."""


class Says(Protocol):
    """What puts acts into words without a model."""

    def render(self, acts: Sequence[Act], draw: Draw, talkativeness: float = 0.5) -> str:
        """The acts in words; talkativeness is 0 to 1."""
        ...


class Said(Record):
    """What a user said."""

    text: str = Field(max_length=LONGEST)


@dataclass(frozen=True)
class Realise(Unsplit[Said]):
    """Say these acts in your own words."""

    acts: tuple[Act, ...]
    before: str
    """The system's last words; empty where the user begins."""
    talkativeness: float = 0.5
    """0 to 1."""
    secret: tuple[str, ...] = ()
    """Values of the user's need that are not said yet; naming one would give it away."""
    templates: Says = field(kw_only=True, compare=False, repr=False)
    kind: ClassVar[str] = "conversational.realise"
    Reply: ClassVar[type[Record]] = Said

    @property
    def values(self) -> tuple[str, ...]:
        """What has to be in the text."""
        return tuple(value for act in self.acts for _, value in act.pairs if value is not None)

    def prompt(self) -> str:
        named = dict.fromkeys(act.intent for act in self.acts)
        meanings = "\n".join(f"- {name}: {MEANINGS['user'].get(name, name.lower())}" for name in named)
        length = "as few words as you can" if self.talkativeness < 1 / 3 else "one or two sentences"
        if self.talkativeness > 2 / 3:
            length = "two or three sentences, as talkative people do"
        secret = f"\nDo not mention: {'; '.join(self.secret)}." if self.secret else ""
        return f"""You talk to a system that recommends items. It said:
{self.before or "(nothing yet)"}

You answer with these acts, and no others:
{format_acts(self.acts)}
{meanings}
Say it in {length} (your talkativeness is {self.talkativeness:g} of 1). Every value in quotes must be in your words as it is spelt there.{secret}"""

    def offline(self, draw: Draw) -> Said:
        """The templates' words; where they are too long, the shortest, and last acts left out until they fit."""
        text = self.templates.render(self.acts, draw, self.talkativeness)
        acts = self.acts
        while len(text) > LONGEST and acts:
            text = self.templates.render(acts, draw, 0.0)
            acts = acts[:-1]
        return Said.of_own(text=text[:LONGEST])

    def check(self, reply: Said) -> None:
        said, must = plain(reply.text), " ".join(map(plain, self.values))
        if not said:
            raise UnusableAnswer("you said nothing; say the acts in words")
        for value in self.values:
            if plain(value) not in said:
                raise UnusableAnswer(f"your words lack {value!r}; say it as it is spelt there")
        for value in self.secret:
            if _as_a_word(value, said) and not _as_a_word(value, must):
                raise UnusableAnswer(f"you mentioned {value!r}, which you do not say yet; leave it out")


def _as_a_word(value: str, text: str) -> bool:
    """Whether a text has the value, not as a part of a longer word."""
    return bool(re.search(rf"(?<!\w){re.escape(plain(value))}(?!\w)", text))
