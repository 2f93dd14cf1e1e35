"""Question to a simulated user: put dialogue acts that are already decided into words."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from pydantic import Field

from openiir.kit.prompting import bullet_lines, join_words
from openiir.plugin import Draw, Question, Record, Source, UnusableAnswer
from openiir.scenarios.conversational.model.dialogue import Act
from openiir.scenarios.conversational.model.generation.phrases import slot_words, trait
from openiir.scenarios.conversational.model.generation.templates import Templates
from openiir.scenarios.conversational.model.generation.trained_templates import TrainedTemplates
from openiir.scenarios.conversational.questions.understand import plain

LONGEST = 1_000
"""Maximum number of characters of a user's utterance."""


ActRenderer = Templates | TrainedTemplates
"""Templates that put dialogue acts into words without a model."""


class UserUtterance(Record):
    """A user's utterance in its own words."""

    text: str = Field(max_length=LONGEST, description="your words, as you say them")


_LENGTH = ("as few words as you can", "one or two sentences", "two or three sentences")
"""Instructions on length, from the least to the most talkative users."""
_TELL: Mapping[str, tuple[str, str]] = {
    "GREET": ("hello", "hello"),
    "DISCLOSE": ("what you want: {}", "what you want"),
    "INQUIRE": ("ask what its {} is", "ask for more about it"),
    "CONSUMED": ("that you have had {} before", "that you have had it before"),
    "LIKE": ("that you like {}", "that you like it"),
    "NEUTRAL": ("that you do not mind {}", "that you do not mind it"),
    "DISLIKE": ("that you do not like {}", "that you do not like it"),
    "CRITIQUE": ("what this one lacks: {}", "that this one is not what you want"),
    "ACCEPT": ("that you take {}", "that you take it"),
    "YES": ("yes, {}", "yes"),
    "NO": ("no, not {}", "no"),
    "DONT_KNOW": ("that you have no {} in mind", "that you do not know"),
    "GIVE_UP": ("that you give up and leave", "that you give up and leave"),
    "BYE": ("goodbye", "goodbye"),
    "OTHER": ("something about {}", "something that says nothing"),
}
"""For each intent, the instruction for an act with slots and for one without."""


@dataclass(frozen=True)
class Realise(Question[UserUtterance]):
    """Question to a simulated user: say these dialogue acts in your own words."""

    before: str
    """The system's last words; empty if the user begins."""
    tell: tuple[str, ...]
    """Instructions on what to say, one per act."""
    exactly: tuple[str, ...]
    """Values that the utterance must contain verbatim."""
    length: str
    """Instruction on the length of the utterance."""
    secret: tuple[str, ...]
    """Values of constraints not disclosed yet, which the utterance must not contain."""
    acts: Annotated[tuple[Act, ...], Source("study")]
    talkativeness: Annotated[float, Source("persona")]
    """Talkativeness, 0 to 1."""
    behaviour: ActRenderer = field(compare=False, repr=False)
    """Templates that give the offline answer."""
    kind: ClassVar[str] = "conversational.realise"
    example: ClassVar[Record] = UserUtterance(text="Too far out for me, I'm afraid.")

    def prompt(self) -> str:
        before = (
            f"You talk to a recommendation service. It said:\n{self.before}"
            if self.before
            else ("You talk to a recommendation service. Nobody has said anything yet: you begin.")
        )
        tell = bullet_lines(self.tell)
        spelt = f" These stand in it, spelt so: {'; '.join(self.exactly)}." if self.exactly else ""
        secret = f", such as {' or '.join(self.secret)}" if self.secret else ""
        return f"""{before}

Say this:
{tell}

Say it the way you talk, in {self.length}.{spelt} Do not bring up anything else yet{secret}."""

    def check(self, reply: UserUtterance) -> None:
        said, must = plain(reply.text), " ".join(map(plain, self.exactly))
        if not said:
            raise UnusableAnswer("you said nothing; say it in words")
        for value in self.exactly:
            if plain(value) not in said:
                raise UnusableAnswer(f"your words lack {value!r}; say it as it is spelt there")
        for value in self.secret:
            if _as_a_word(value, said) and not _as_a_word(value, must):
                raise UnusableAnswer(f"you mentioned {value!r}, which you do not say yet; leave it out")

    def offline(self, draw: Draw) -> UserUtterance:
        """Render the acts by templates; if too long, use the shortest wordings and drop acts from the end."""
        acts = self.acts
        text = self.behaviour.render(acts, draw, self.talkativeness)
        while len(text) > LONGEST and acts:
            text = self.behaviour.render(acts, draw, 0.0)
            acts = acts[:-1]
        return UserUtterance.of_own(text=text[:LONGEST])


def realise_question(
    acts: Sequence[Act],
    before: str,
    templates: ActRenderer,
    talkativeness: float = 0.5,
    secret: Iterable[str] = (),
) -> Realise:
    """Build the question that asks to word these acts; `secret` holds values not to be disclosed yet."""
    exactly = dict.fromkeys(value for act in acts for _, value in act.pairs if value is not None)
    length = _LENGTH[min(2, int(talkativeness * 3))]
    tell = tuple(dict.fromkeys(map(_instruction, acts)))
    return Realise(before, tell, tuple(exactly), length, tuple(secret), tuple(acts), talkativeness, templates)


def _instruction(act: Act) -> str:
    about, alone = _TELL[act.intent]
    words = [slot_words(slot) if value is None else trait(slot, value) for slot, value in act.pairs]
    return about.format(join_words(words)) if words else alone


def _as_a_word(value: str, text: str) -> bool:
    """Whether a text contains a value as a whole word."""
    return bool(re.search(rf"(?<!\w){re.escape(plain(value))}(?!\w)", text))
