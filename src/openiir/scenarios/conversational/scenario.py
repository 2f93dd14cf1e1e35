"""The conversational scenario: simulated users hold dialogues with conversational recommenders (UserSimCRS
v2)."""

from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any

from openiir.plugin import (
    Action,
    Agent,
    Control,
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
from openiir.scenarios.conversational.behaviour.needs import UserNeed
from openiir.scenarios.conversational.behaviour.user_state import UserState
from openiir.scenarios.conversational.behaviour.users import build_cast, redraw_persona, traits_of
from openiir.scenarios.conversational.config import DECLARED, ConversationalConfig, initial_config
from openiir.scenarios.conversational.config.auditing import ACTS_WITH, AUDITED
from openiir.scenarios.conversational.measures import conversational_measures
from openiir.scenarios.conversational.measures.definitions import DEFINITIONS
from openiir.scenarios.conversational.run.actions import ACTIONS, DialogueLogged
from openiir.scenarios.conversational.run.conversation import Conversation
from openiir.scenarios.conversational.run.human_dialogues import (
    annotate_by_question,
    ask_needs,
    log_human_dialogues,
)
from openiir.scenarios.conversational.run.judge import judge_dialogues
from openiir.scenarios.conversational.run.setup import (
    DialogueSetup,
    adapt_setup,
    build_setup,
    log_setup,
    replace_needs,
)
from openiir.scenarios.conversational.views import SURFACES

_SMALL: Mapping[str, Any] = {"dialogues": 30, "simulators": ["agenda"], "judge.dialogues": 0}


class Conversational(Scenario):
    """Simulated users hold dialogues with recommenders, one for each need, simulator and system."""

    name = "conversational"
    definitions = DEFINITIONS
    Config = ConversationalConfig
    structural = frozenset({"dialogues", "batch", "data", "data_seed", "held_out", "needs", "validity"})
    """Keys that define the needs and the steps, and the human dialogues that are logged at the start."""
    closing = "results"
    remembers = True
    controls = (
        Control(
            "one system under two names",
            "success[one]",
            {**_SMALL, "systems": [{"name": name, "by": "attribute"} for name in ("one", "two")]},
            less="success[two]",
        ),
        Control(
            "a system that knows the need, and a random one",
            "success[oracle]",
            {**_SMALL, "systems": ["oracle", "random"]},
            less="success[random]",
            least=0.3,
        ),
    )
    audited = AUDITED
    acts_with = ACTS_WITH

    def actions(self) -> Sequence[type[Action]]:
        return ACTIONS

    async def schedule(self, stage: Stage) -> AsyncIterator[Step]:
        ground = build_setup(stage.config, self.folder)
        if ground.told:
            ground = replace_needs(ground, stage.config, await ask_needs(stage, ground.told, ground.reader))
        log_setup(stage, ground)
        if ground.people:
            people = await annotate_by_question(stage, ground.people, ground.reader)
            log_human_dialogues(stage, people, ground.reader, Path(stage.config.validity.dialogues).name)
        yield Step("who wants what")
        drawn = initial_config(stage.log.study)
        cases: list[tuple[Agent, DialogueLogged]] = []
        for first in range(0, len(ground.wishes), stage.config.batch):
            ground = adapt_setup(ground, stage.config, self.folder)
            wishes = ground.wishes[first : first + stage.config.batch]
            users = {wish.number: stage.agents[wish.number].persona for wish in wishes}
            if ground.config.users != drawn.users:
                users = {n: redraw_persona(ground.config, persona, n) for n, persona in users.items()}
            lanes: dict[str, DialogueLane] = {}
            for wish in wishes:
                lanes |= _dialogues(stage, ground, wish, users[wish.number])
            held = await stage.lanes(lanes, pure=True, at=AT)
            cases += [(Agent.of(users[one.number]), one) for one in held.values() if one is not None]
            yield Step(f"needs {wishes[0].number + 1} to {wishes[-1].number + 1}")
        if cases:
            await judge_dialogues(stage, cases, stage.config.judge, ground.facts, ground.has_consumed)
            yield Step("judged")

    def planned_steps(self, config: Any) -> int:
        return 1 + -(-config.dialogues // config.batch) + bool(config.judge.dialogues)

    def metrics(self, log: Log) -> Mapping[str, Measure]:
        return conversational_measures(log)

    def surfaces(self) -> Sequence[Surface | Interview]:
        return SURFACES

    def check(self, config: Any, personas: Sequence[Persona]) -> None:
        build_cast(config, personas)
        build_setup(config, self.folder)

    def systems_of(self, config: Any) -> Mapping[str, str]:
        declared = [system for system in config.systems if system.by.startswith(DECLARED)]
        return {system.by.removeprefix(DECLARED): f"config.systems {system.name!r}" for system in declared}

    def cast(self, config: Any, personas: Sequence[Persona], seed: int) -> Sequence[Persona]:
        return build_cast(config, personas)


AT = 0
"""Step used in all draws of dialogues, so that results do not depend on the batch size."""
DialogueLane = Callable[[Lane], Coroutine[Any, Any, DialogueLogged | None]]


def _dialogues(
    stage: Stage, ground: DialogueSetup, wish: UserNeed, persona: Persona
) -> dict[str, DialogueLane]:
    """Return the dialogues about one need by lane name, each built when its lane starts.

    A lane returns its dialogue if it is to be judged, else None.
    """
    config = ground.config
    traits = traits_of(persona, config)
    knowing = Draw(stage.answering.seed, "conversational.knows", agent=wish.number)

    def make_lane(simulator: str, system: str) -> DialogueLane:
        async def live(lane: Lane) -> DialogueLogged | None:
            conversation = Conversation(
                persona=persona,
                mind=UserState(wish, traits, ground.data.collection, knowing, persona.memory),
                simulator=ground.simulators[simulator],
                system=system,
                partner=ground.create_adapter(stage, system, wish),
                titles=ground.reader.titles,
                ranks=ground.known.rank,
                most=config.turns,
            )
            held = await conversation.live(lane)
            return held if wish.number < config.judge.dialogues else None

        return live

    return {
        f"{simulator}/{system}/{wish.number + 1}": make_lane(simulator, system)
        for simulator in ground.simulators
        for system in ground.systems
    }
