"""Who answers what: chosen in the study, the most specific choice winning."""

from collections.abc import Iterable

from pydantic import field_validator

from openiir.core.asking.question import ANSWERED_WITH
from openiir.core.errors import UnknownName
from openiir.core.records import Record

KNOWN = ("offline", "model", "human", "system", "recording")


class Choice(Record):
    """The `[answers]` table. Most specific first: a persona's kind, the persona, the kind, the run."""

    default: str = "offline"
    """`offline`, `model`, `human`, `recording`, or `system:NAME` for a declared system under test."""
    shadow: str | None = None
    """Asked as well, logged, never acted on."""
    kind: dict[str, str] = {}
    """By question kind, such as "panel.utter" (also for the roles moderator and extractor)."""
    persona: dict[str, str | dict[str, str]] = {}
    """By persona id: one answerer, or a table of answerers by question kind."""

    @field_validator("default", "shadow")
    @classmethod
    def _is_known(cls, name: str | None) -> str | None:
        return name if name is None else _known(name)

    @field_validator("kind")
    @classmethod
    def _are_known(cls, names: dict[str, str]) -> dict[str, str]:
        return {kind: _known(name) for kind, name in names.items()}

    @field_validator("persona")
    @classmethod
    def _personas_are_known(cls, names: dict[str, str | dict[str, str]]) -> dict[str, str | dict[str, str]]:
        for chosen in names.values():
            for name in [chosen] if isinstance(chosen, str) else chosen.values():
                _known(name)
        return names

    def of(self, asker: str, kind: str) -> str:
        """The answerer's name for a question of this kind to this asker.

        A kind that the study leaves out may go with another one (`Question.answered_with`).
        A declared system asked in its own name, `system:NAME`, answers itself, unless a recording is played.
        """
        chosen, kinds = self.persona.get(asker), (kind, ANSWERED_WITH.get(kind, kind))
        if isinstance(chosen, str):
            return chosen
        for one in kinds:
            if chosen and one in chosen:
                return chosen[one]
        general = next((self.kind[one] for one in kinds if one in self.kind), self.default)
        return asker if asker.startswith("system:") and general != "recording" else general

    def used(self) -> list[str]:
        """Every answerer this choice can lead to, sorted."""
        names: set[str] = {self.default, *self.kind.values()} | ({self.shadow} if self.shadow else set())
        for chosen in self.persona.values():
            names |= {chosen} if isinstance(chosen, str) else set(chosen.values())
        return sorted(names)

    def personas_named(self) -> Iterable[str]:
        return self.persona.keys()


def _known(name: str) -> str:
    base, _, system = name.partition(":")
    if base not in KNOWN or (base == "system") != bool(system):
        raise ValueError(str(UnknownName("answerer", name, (*KNOWN[:3], "recording", "system:NAME"))))
    return name
