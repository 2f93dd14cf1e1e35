"""Base class of scenario types."""

import sys
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from openiir.core.agents import Action
from openiir.core.records import Measure, Persona, Record
from openiir.core.storage import Log
from openiir.plugin.arms import Arms, Twins
from openiir.plugin.definitions import Definitions
from openiir.plugin.stage import Stage
from openiir.plugin.surface import Interview, Surface


@dataclass(frozen=True)
class Step:
    """End of a step, yielded by a schedule: the engine may now save, stop or apply changes."""

    label: str
    at: int | None = None
    """Simulated time at the step's end, in whole minutes since the start of the run; None without a clock."""


@dataclass(frozen=True)
class Control:
    """A comparison whose outcome is known: without it, neither a difference nor its absence tells anything.

    The effect is the measure less another one, or less its own value in a baseline run of the same seed.
    """

    says: str
    """What is compared with what, in words."""
    measure: str
    config: Mapping[str, Any]
    """Values of Config keys that the reference study gets, or the one that `study` names: see `acts_with`."""
    less: str = ""
    """Measure of the same run that is taken away."""
    baseline: Mapping[str, Any] | None = None
    """Values of Config keys of the run whose measure is taken away; None for none."""
    least: float | None = None
    """Least effect of a positive control; None for a null."""
    within: float = 0.0
    """Largest absolute effect of a null: 0 unless numbers are rounded on their way."""


class Scenario(ABC):
    """Base class of a type of study: four methods and a Config; register it in `openiir.types`."""

    name: ClassVar[str]
    Config: ClassVar[type[Record]]
    """Class of the study's `[config]` table: its keys with their defaults."""
    structural: ClassVar[frozenset[str]] = frozenset()
    """Keys of Config that no `[[change]]` may set, such as "users", "page.most" or "systems[].name"."""
    worlds: ClassVar[frozenset[str]] = frozenset()
    """Names of the worlds that a study of this type must have; `[world]` is called main."""
    Measuring: ClassVar[type[Record]] = Record
    """Class of the options of `openiir measure RUN --set`, which `metrics` reads by `log.options`."""
    events: ClassVar[Mapping[str, type[Record]]] = {}
    """Classes of a study's `[[event]]` entries, by kind; none has a field `kind`, `step` or `at`."""
    audited: ClassVar[Mapping[str, Any]] = {}
    """Values of Config keys that make the reference study small enough for `openiir audit`."""
    acts_with: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    """Further values that a Config key needs to have an effect, for `openiir audit`.

    By key, such as "omega" or "shape.round[].each". Keys of Measuring begin with `measuring.`, in both
    places. `study` names another study file in the reference study's folder, for a key that needs other
    material, such as a world.
    """
    remembers: ClassVar[bool] = False
    """Whether agents have a memory, under the policy of their persona or the study."""
    reflects: ClassVar[bool] = False
    """Whether agents are asked what they have learnt, under the policy `episodic+reflection`."""
    shares: ClassVar[bool] = False
    """Whether agents may have one memory together (`shared:NAME`), made by a `MemoryPool`."""
    controls: ClassVar[Sequence[Control]] = ()
    """Null and positive controls, which `openiir audit` and the contract run."""
    twins: ClassVar[Twins | None] = None
    """The null of a type whose runs have arms (`Arms`): two of them that nothing tells apart."""
    definitions: ClassVar[Definitions] = {}
    """Labels and definitions of the measures, which `openiir measure --explain` and the web app show."""
    step_word: ClassVar[str] = ""
    """What each of `config.rounds` steps is called, such as "round", with its number from 1 behind it."""
    closing: ClassVar[str] = ""
    """Name of the surface printed at the end of a run; empty for none."""
    reference: ClassVar[Path | None] = None
    """Folder of the reference study, which `openiir run NAME` runs: by default `reference` beside the class's
    file, where there is one."""

    folder: Path = Path()
    """Folder of the study, from which relative paths in its configuration start; set by the engine."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        file = getattr(sys.modules.get(cls.__module__), "__file__", None)
        if cls.reference is None and file and (folder := Path(file).with_name("reference")).is_dir():
            cls.reference = folder

    @abstractmethod
    def actions(self) -> Sequence[type[Action]]:
        """List the classes of platform actions that agents may take."""

    @abstractmethod
    def schedule(self, stage: Stage) -> AsyncIterator[Step]:
        """Run the simulation: an async generator that yields a Step wherever it is safe to stop.

        Read `stage.config` where it is used, not once at the start, so that a `[[change]]` takes effect.
        Never yield inside an open task group.
        """

    async def live_rounds(self, arms: Arms[Any], live: Callable[[], Awaitable[Any]]) -> AsyncIterator[Step]:
        """Live the `config.rounds` rounds of a schedule, from the checkpoint on, keeping the arms after each.

        `live` lets all arms live the round `stage.step`, which `step_word` labels.
        """
        stage = arms.stage
        await stage.restore_memories(arms.memories())
        while stage.step <= stage.config.rounds:
            await live()
            stage.keep(arms.memories(), **arms.state())
            yield Step(f"{self.step_word} {stage.step}")

    @abstractmethod
    def metrics(self, log: Log) -> Mapping[str, Measure]:
        """Compute the measures by name, from the log alone; an undefined one is NaN with a reason."""

    @abstractmethod
    def surfaces(self) -> Sequence[Surface | Interview]:
        """List the views of a live or finished run, and the interviews possible afterwards."""

    def describe(self, log: Log, persona: Persona) -> Persona:
        """Return a persona as the run's prompts describe it; by default as the run recorded it."""
        return persona

    def check(self, config: Any, personas: Sequence[Persona]) -> None:
        """Check what the schema of Config cannot, before the run costs anything; raises InputError.

        Called with the study's first configuration and, with the full cast, for each configuration that a
        change makes.
        """

    def planned_steps(self, config: Any) -> Sequence[str] | int:
        """Return the labels of all steps in order, as `schedule` yields them under this configuration.

        Studies can then name a moment by its label. A step "end", which the engine adds, is not listed. Where
        the steps are not known beforehand, return the largest number of steps, "end" included, or 0 if that
        is unknown too. By default these are the steps of `step_word`, or none are known.
        """
        return [f"{self.step_word} {n}" for n in range(1, config.rounds + 1)] if self.step_word else 0

    def check_events(
        self, config: Any, events: Sequence[tuple[int, Record]], personas: Sequence[Persona]
    ) -> None:
        """Check what the schemas of `events` cannot, such as the ids of members; raises InputError.

        `events` has the step and the record of each event, sorted by step; `personas` is the full cast, and
        `config` the study's first configuration.
        """

    def worlds_of(self, config: Any) -> Mapping[str, str]:
        """Return the worlds (text collections) needed: name to who needs it, such as "a panel study".

        Override it if the configuration decides which of `worlds` are needed.
        """
        return dict.fromkeys(sorted(self.worlds), f"a {self.name} study")

    def systems_of(self, config: Any) -> Mapping[str, str]:
        """Return the declared systems that this configuration needs: name to who needs it."""
        return {}

    def cast(self, config: Any, personas: Sequence[Persona], seed: int) -> Sequence[Persona]:
        """Return all agents' personas: the study's, and those that the type adds.

        Called after `check`. The run stores them all, and the study's `[answers]` can name each.
        """
        return personas
