"""The type of study: the same searchers in two arms, with further queries and with one."""

from openiir.plugin import Control, MemoryPool, Persona, Scenario, Step, Twins

from search_session import measures
from search_session.questions import SearchSessionConfig
from search_session.run import ARMS, Search, Session


class SearchSession(Scenario):
    """Searchers type queries, scan, open, read, reformulate and stop, beside others who keep their query."""

    name = "search-session"
    Config = SearchSessionConfig
    Measuring = measures.SessionMeasuring
    structural = frozenset({"searchers", "needs", "qrels"})
    worlds = frozenset({"main"})
    remembers = True
    closing = "outcomes"
    definitions = measures.DEFINITIONS
    twins = Twins(ARMS, {"reformulate": False}, "arm")
    controls = (Control("perfect judges", "gain.found", {"click": [1, 0], "save": [1, 0]}, least=0.5),)
    audited = {"searchers": 12, "sessions": 2}

    def actions(self):
        return ()

    def planned_steps(self, config):
        return [f"session {n}" for n in range(1, config.sessions + 1)]

    def cast(self, config, personas, seed):
        own = [one for one in personas if not one.id.startswith("searcher-")]  # an audit gives back all
        numbers = range(len(own) + 1, config.searchers + 1)
        return [*own, *(Persona(id=f"searcher-{n}", name=f"Searcher {n}", bio="Searches.") for n in numbers)]

    async def schedule(self, stage):
        search, pools = Search(stage, self.folder), {arm: MemoryPool() for arm in ARMS}
        key = {f"{arm}.{agent.id}": (arm, agent.persona) for arm in ARMS for agent in stage.agents}
        memories = {name: pools[arm].memory(persona) for name, (arm, persona) in key.items()}
        await stage.restore_memories(memories)
        while stage.step <= stage.config.sessions:
            lives = {name: Session(search, *of, memories[name]).live for name, of in key.items()}
            await stage.lanes(lives)
            stage.keep(memories)
            yield Step(f"session {stage.step}")

    def metrics(self, log):
        return measures.measure_sessions(log)

    def surfaces(self):
        return measures.SURFACES
