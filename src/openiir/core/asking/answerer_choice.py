"""Choice of answerers in a study: the `[answers]` table."""

from typing import Annotated

from pydantic import AfterValidator

from openiir.core.asking.question import ANSWERED_WITH
from openiir.core.errors import UnknownName
from openiir.core.records import Record

KNOWN = ("offline", "model", "human", "system", "recording")


def _check_known(name: str) -> str:
    base, _, system = name.partition(":")
    if base not in KNOWN or (base == "system") != bool(system):
        raise ValueError(str(UnknownName("answerer", name, (*KNOWN[:3], "recording", "system:NAME"))))
    return name


AnswererName = Annotated[str, AfterValidator(_check_known)]


class AnswererChoice(Record):
    """The `[answers]` table of a study. First wins: persona and kind, persona, kind, default."""

    default: AnswererName = "offline"
    """`offline`, `model`, `human`, `recording`, or `system:NAME` for a declared system under test."""
    shadow: AnswererName | None = None
    """A second answerer, whose answers are logged for comparison and never acted on."""
    kind: dict[str, AnswererName] = {}
    """Answerer by kind of question, such as "panel.utter"; also for roles (moderator, extractor)."""
    persona: dict[str, AnswererName | dict[str, AnswererName]] = {}
    """Answerer by persona id: one name, or a table of names by kind of question."""

    def of(self, asker: str, kind: str) -> str:
        """Return the name of the answerer of this kind of question for this asker.

        A kind without an entry may share another's (`Question.answered_with`). A question to the asker
        `system:NAME` is answered by that system, unless a recording is played.
        """
        chosen, kinds = self.persona.get(asker), (kind, ANSWERED_WITH.get(kind, kind))
        if isinstance(chosen, str):
            return chosen
        for one in kinds:
            if chosen and one in chosen:
                return chosen[one]
        general = next((self.kind[one] for one in kinds if one in self.kind), self.default)
        return asker if asker.startswith("system:") and general != "recording" else general

    def names(self) -> list[str]:
        """List the names of all answerers that the table mentions, sorted."""
        names: set[str] = {self.default, *self.kind.values()} | ({self.shadow} if self.shadow else set())
        for chosen in self.persona.values():
            names |= {chosen} if isinstance(chosen, str) else set(chosen.values())
        return sorted(names)
