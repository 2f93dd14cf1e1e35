"""The one class a type is."""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from openiir.core.agents import Action
from openiir.core.records import Measure, Persona, Record
from openiir.core.storage import Log
from openiir.plugin.stage import Stage
from openiir.plugin.surface import Interview, Surface


@dataclass(frozen=True)
class Step:
    """What a schedule yields when a step is done: the safe point at which the engine saves, stops and changes."""

    label: str


class Scenario(ABC):
    """A type of study: four methods and a configuration. Register it under the entry point `openiir.types`."""

    name: ClassVar[str]
    Config: ClassVar[type[Record]]
    """What a study's `[config]` table may hold; each default is written once, here."""
    structural: ClassVar[frozenset[str]] = frozenset()
    """Keys of Config that a `[[change]]` may not touch, such as a number of users."""
    worlds: ClassVar[frozenset[str]] = frozenset()
    """Names of the worlds that a study of this type must have; `[world]` is called main."""
    Measuring: ClassVar[type[Record]] = Record
    """What `openiir measure RUN --set` may set; `metrics` finds it as `log.measuring`."""
    audited: ClassVar[Mapping[str, Any]] = {}
    """Keys of Config, and values that make the reference study small enough for `openiir audit`."""
    acts_with: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    """By key, such as "omega" or "shape.round[].each": what to set beside it so that it can act.

    Keys of Measuring begin with `measuring.`, in both places. `study` names a study file in the reference study's
    folder that takes its place, for a key that needs other material, such as a world.
    """
    closing: ClassVar[str] = ""
    """The surface that is shown when a run has ended; none without a name."""
    reference: ClassVar[Path | None] = None
    """The folder of the reference study, which `openiir run NAME` runs."""

    folder: Path = Path()
    """Where the study lies: what relative paths in its configuration start from. Set by the engine."""

    @abstractmethod
    def actions(self) -> Sequence[type[Action]]:
        """The platform actions agents may take."""

    @abstractmethod
    def schedule(self, stage: Stage) -> AsyncIterator[Step]:
        """Drive the run: an async generator that yields a Step at each safe point.

        Read `stage.config` anew where it is used, so that a change at a step reaches it. Never yield inside an
        open task group.
        """

    @abstractmethod
    def metrics(self, log: Log) -> Mapping[str, Measure]:
        """The type's evaluation: a pure function of the log. An undefined measure is NaN with a reason."""

    @abstractmethod
    def surfaces(self) -> Sequence[Surface | Interview]:
        """Views of a run, live or finished, and what can be asked of it afterwards."""

    def check(self, config: Any, personas: Sequence[Persona]) -> None:
        """What a schema cannot say of a study, before anything is spent; raises InputError.

        Called for the configuration that a study starts under and for each that a change brings, the latter with
        the full cast.
        """

    def worlds_of(self, config: Any) -> Mapping[str, str]:
        """The worlds that a study of this configuration must have, each with what asks for it, in words.

        Those of `worlds`, unless a type can tell by its configuration whether it needs one.
        """
        return dict.fromkeys(sorted(self.worlds), f"a {self.name} study")

    def systems_of(self, config: Any) -> Mapping[str, str]:
        """The declared systems that a study of this configuration must have, each with what asks for it, in words."""
        return {}

    def cast(self, config: Any, personas: Sequence[Persona], seed: int) -> Sequence[Persona]:
        """Who takes part: the study's personas, and any that the type makes beside them, such as promoted users.

        Called once `check` has passed. The study's `[answers]` can name them all, and the run holds them.
        """
        return personas
