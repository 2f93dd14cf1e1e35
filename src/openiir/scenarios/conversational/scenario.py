"""The type: simulated users hold dialogues with conversational recommenders (UserSimCRS v2)."""

from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any

from openiir.plugin import (
    Action,
    Agent,
    Draw,
    Interview,
    Lane,
    Log,
    Measure,
    Persona,
    Scenario,
    Stage,
    Step,
    Surface,
)
from openiir.scenarios.conversational.actions import ACTIONS, Held
from openiir.scenarios.conversational.auditing import ACTS_WITH, AUDITED, REFERENCE
from openiir.scenarios.conversational.config import DECLARED, ConversationalConfig
from openiir.scenarios.conversational.conversation import Conversation
from openiir.scenarios.conversational.judging.judge import judge
from openiir.scenarios.conversational.judging.people import note_people
from openiir.scenarios.conversational.measuring import conversational_measures
from openiir.scenarios.conversational.mind import Mind
from openiir.scenarios.conversational.needs import Wish
from openiir.scenarios.conversational.opening import Ground, ground_of, note_opening, with_needs
from openiir.scenarios.conversational.surfaces import SURFACES
from openiir.scenarios.conversational.understanding.annotating import annotated, needs_in
from openiir.scenarios.conversational.users import traits_of, whole_cast


class Conversational(Scenario):
    """Every need is brought to every system by every simulator, each dialogue in a lane of its own."""

    name = "conversational"
    Config = ConversationalConfig
    structural = frozenset(ConversationalConfig.model_fields)
    """All of it: a dialogue under two rules would be neither."""
    closing = "results"
    audited = AUDITED
    acts_with = ACTS_WITH
    reference = REFERENCE

    def actions(self) -> Sequence[type[Action]]:
        return ACTIONS

    async def schedule(self, stage: Stage) -> AsyncIterator[Step]:
        ground = ground_of(stage.config, self.folder)
        if ground.told:
            ground = with_needs(ground, stage.config, await needs_in(stage, ground.told, ground.reader))
        note_opening(stage, ground)
        if ground.people:
            people = await annotated(stage, ground.people, ground.reader)
            note_people(stage, people, ground.reader, Path(stage.config.validity.dialogues).name)
        yield Step("who wants what")
        cases: list[tuple[Agent, Held]] = []
        for start in range(0, len(ground.wishes), stage.config.batch):
            wishes = ground.wishes[start : start + stage.config.batch]
            lanes: dict[str, Life] = {}
            for wish in wishes:
                lanes |= _dialogues(stage, ground, wish)
            held = await stage.lanes(lanes, pure=True, at=AT)
            cases += [(stage.agents[one.number], one) for one in held.values() if one is not None]
            yield Step(f"needs {wishes[0].number + 1} to {wishes[-1].number + 1}")
        if cases:
            await judge(stage, cases, stage.config.judge, ground.facts, ground.had)
            yield Step("judged")

    def metrics(self, log: Log) -> Mapping[str, Measure]:
        return conversational_measures(log)

    def surfaces(self) -> Sequence[Surface | Interview]:
        return SURFACES

    def check(self, config: Any, personas: Sequence[Persona]) -> None:
        whole_cast(config, personas)
        ground_of(config, self.folder)

    def systems_of(self, config: Any) -> Mapping[str, str]:
        declared = [system for system in config.systems if system.by.startswith(DECLARED)]
        return {system.by.removeprefix(DECLARED): f"config.systems {system.name!r}" for system in declared}

    def cast(self, config: Any, personas: Sequence[Persona], seed: int) -> Sequence[Persona]:
        return whole_cast(config, personas)


AT = 0
"""The step that all dialogues draw as in: how many needs a step holds changes none of them."""
Life = Callable[[Lane], Coroutine[Any, Any, Held | None]]


def _dialogues(stage: Stage, ground: Ground, wish: Wish) -> dict[str, Life]:
    """The dialogues about one wish, by lane, made when the lane begins; what is to be judged comes back from it."""
    persona = stage.agents[wish.number].persona
    traits = traits_of(persona, stage.config)
    knowing = Draw(stage.answering.seed, "conversational.knows", agent=wish.number)

    def life(simulator: str, system: str) -> Life:
        async def live(lane: Lane) -> Held | None:
            conversation = Conversation(
                persona=persona,
                mind=Mind(wish, traits, ground.data.collection, knowing, persona.memory),
                simulator=ground.simulators[simulator],
                system=system,
                partner=ground.partner(stage, system, wish),
                titles=ground.reader.titles,
                ranks=ground.known.rank,
                most=stage.config.turns,
            )
            held = await conversation.live(lane)
            return held if wish.number < stage.config.judge.dialogues else None

        return live

    return {
        f"{simulator}/{system}/{wish.number + 1}": life(simulator, system)
        for simulator in ground.simulators
        for system in ground.systems
    }
