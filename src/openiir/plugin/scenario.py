"""The base class of a type of study."""

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
    """End of a step, yielded by a schedule: the point at which the engine saves, stops or applies changes."""

    label: str


class Scenario(ABC):
    """A type of study: four methods and a configuration. Register it under the entry point `openiir.types`."""

    name: ClassVar[str]
    Config: ClassVar[type[Record]]
    """Keys of a study's `[config]` table, with their defaults."""
    structural: ClassVar[frozenset[str]] = frozenset()
    """Keys of Config that no `[[change]]` may set, such as the number of users."""
    worlds: ClassVar[frozenset[str]] = frozenset()
    """Worlds that a study of this type must have, by name; `[world]` is called main."""
    Measuring: ClassVar[type[Record]] = Record
    """Options of `openiir measure RUN --set`; `metrics` reads them as `log.measuring`."""
    audited: ClassVar[Mapping[str, Any]] = {}
    """Values of Config keys that make the reference study small enough for `openiir audit`."""
    acts_with: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    """For `openiir audit`: what to set beside a key so that it has an effect.

    By key, such as "omega" or "shape.round[].each". Keys of Measuring begin with `measuring.`, in both places. `study`
    names another study file in the reference study's folder, for a key that needs other material, such as a world.
    """
    remembers: ClassVar[bool] = False
    """Whether agents have a memory under the policy of their persona or of the study."""
    reflects: ClassVar[bool] = False
    """Whether agents are asked what they have learnt under the policy `episodic+reflection`."""
    closing: ClassVar[str] = ""
    """Name of the surface printed at the end of a run; empty for none."""
    reference: ClassVar[Path | None] = None
    """Folder of the reference study, run by `openiir run NAME`."""

    folder: Path = Path()
    """Folder of the study, from which relative paths in its configuration start; set by the engine."""

    @abstractmethod
    def actions(self) -> Sequence[type[Action]]:
        """The platform actions agents may take."""

    @abstractmethod
    def schedule(self, stage: Stage) -> AsyncIterator[Step]:
        """Drive the run: an async generator that yields a Step at each safe point.

        Read `stage.config` where it is used, not once at the start, so that a `[[change]]` takes effect. Never yield
        inside an open task group.
        """

    @abstractmethod
    def metrics(self, log: Log) -> Mapping[str, Measure]:
        """Compute the type's measures, by name, from the log alone. An undefined measure is NaN with a reason."""

    @abstractmethod
    def surfaces(self) -> Sequence[Surface | Interview]:
        """Views of a live or finished run, and the interviews that it allows afterwards."""

    def check(self, config: Any, personas: Sequence[Persona]) -> None:
        """Check what the schema of Config cannot, before anything is spent; raises InputError.

        Called with the study's first configuration and, with the full cast, for each configuration that a change makes.
        """

    def worlds_of(self, config: Any) -> Mapping[str, str]:
        """Worlds that this configuration needs: names to the reason shown in errors, such as "a panel study".

        Override it if the configuration decides which of `worlds` are needed.
        """
        return dict.fromkeys(sorted(self.worlds), f"a {self.name} study")

    def systems_of(self, config: Any) -> Mapping[str, str]:
        """Declared systems that this configuration needs: names to the reason shown in errors."""
        return {}

    def cast(self, config: Any, personas: Sequence[Persona], seed: int) -> Sequence[Persona]:
        """The full cast: the study's personas and any the type adds, such as promoted users.

        Called after `check`. The run stores them all, and the study's `[answers]` can name each.
        """
        return personas
