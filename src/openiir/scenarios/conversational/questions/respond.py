"""What a simulated user does next: the acts of its turn, and whether it ends the dialogue."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from openiir.kit.dialogue import Act, UserIntent
from openiir.plugin import Draw, Question, Record, UnusableAnswer
from openiir.scenarios.conversational.questions.sight import Sight
from openiir.scenarios.conversational.questions.understand import MEANINGS

Ending = Literal["no", "satisfied", "gave-up"]
INTENTS = UserIntent.__args__  # type: ignore[attr-defined]
"""What a user can do."""


class Response(Record):
    """A user's turn, before it is put into words."""

    acts: tuple[Act, ...] = Field(max_length=8)
    end: Ending = "no"
    item: Annotated[str, Field(max_length=200)] = ""
    """The id of the item taken; empty without one."""


@dataclass(frozen=True)
class Respond(Question[Response]):
    """What do you do next?"""

    sight: Sight
    decide: Callable[[Sight, Draw], Response] = field(compare=False, repr=False)
    """The behaviour model."""
    kind: ClassVar[str] = "conversational.respond"
    Reply: ClassVar[type[Record]] = Response

    def prompt(self) -> str:
        meanings = "\n".join(f"- {intent}: {meaning}" for intent, meaning in MEANINGS["user"].items())
        return "\n".join(
            [
                self.sight.words(),
                "",
                "Decide what you do in your next turn. You may do several of these things at once:",
                meanings,
                'End the dialogue with end = "satisfied" when you take an item, and name its id; with end = "gave-up" '
                'when you have had enough; else end = "no".',
            ]
        )

    def allowed(self) -> dict[str, Any]:
        return {"item": [id for id, _ in self.sight.items], "Act.intent": list(INTENTS)}

    def offline(self, draw: Draw) -> Response:
        """The agenda's answer (Schatzmann et al., NAACL 2007; cases after Lyu et al., WWW 2021)."""
        return self.decide(self.sight, draw)

    def check(self, reply: Response) -> None:
        check_item(reply.end, reply.item)


def check_item(end: Ending, item: str) -> None:
    """Whoever is satisfied names what is taken; raises UnusableAnswer."""
    if end == "satisfied" and not item:
        raise UnusableAnswer('end = "satisfied" takes an item, so name its id; or do not end satisfied')
