"""Start a panel: seat the cast, and ask for first stances where a model or a person answers."""

from openiir.kit.offline_speaker import Passage
from openiir.plugin import MemoryPool, Stage, stance_number
from openiir.plugin.arguments import stance
from openiir.scenarios.panel.behaviour.arguments import ArgumentState
from openiir.scenarios.panel.behaviour.floor import TurnTaking
from openiir.scenarios.panel.behaviour.panelist import HALF_LIFE, Panelist
from openiir.scenarios.panel.questions.prompt_parts import call_by_name
from openiir.scenarios.panel.questions.speaking import Stand
from openiir.scenarios.panel.run.table import PanelTable


def build_table(stage: Stage) -> PanelTable:
    """Build the panel's table; a persona without a stance gets the one that its bio expresses."""
    cast = [agent.persona for agent in stage.agents]
    people, pool, passages = [], MemoryPool(HALF_LIFE), dict[str, Passage]()
    for agent, persona in zip(stage.agents, cast, strict=True):
        first = stance(persona.bio, stage.config.topic) if persona.stance is None else persona.stance
        memory = pool.memory(persona)
        people.append(Panelist(agent, call_by_name(persona, cast), first, memory, passages))
    names = {person.agent.id: person.called for person in people}
    return PanelTable(stage, people, TurnTaking(people), ArgumentState(stage, names))


async def ask_first_stances(table: PanelTable) -> None:
    """Ask panelists not moved by opinion dynamics for their initial stance; log all stances."""
    topic, seats = table.stage.config.topic, len(table.people)
    asked = [person for person in table.people if not table.follows_dynamics(person)]
    for person, _, reply in await table.ask_all([(p, Stand(topic, seats, p.first)) for p in asked]):
        person.first = stance_number(reply.where_you_stand)
        table.remember(person, "as you came in", reply.thoughts)
        table.state_stance(person, reply.where_you_stand)
    table.record_stances()
