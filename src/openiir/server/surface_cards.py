"""Descriptions of views for the web app: what each is, and the agents that it can be narrowed to."""

from typing import Any

from openiir.core.storage import Log
from openiir.plugin import Surface
from openiir.runs.views.paging import MOST


def list_personas(log: Log) -> list[tuple[str, str]]:
    """List ids and names of a run's personas."""
    return [(persona.id, persona.name) for persona in log.personas]


def list_agents(surface: Surface, log: Log) -> list[tuple[str, str]]:
    """List ids and names of the agents that a view can be narrowed to."""
    personas = list_personas(log)
    if surface.agents is None or not surface.per_agent:
        return personas if surface.per_agent else []
    names = dict(personas)
    return [(id, names.get(id, id)) for id in surface.agents(log)]


def describe_surface(surface: Surface, log: Log) -> dict[str, Any]:
    """Describe a surface, with the first MOST of its agents."""
    why = surface.shows(log) if surface.shows else True
    agents = list_agents(surface, log)
    return {
        "name": surface.name,
        "form": surface.form,
        "title": surface.title,
        "help": surface.help,
        "group": surface.group,
        "live": surface.live,
        "per_agent": surface.per_agent,
        "agents": agents[:MOST],
        "agent_count": len(agents),
        "empty": why if isinstance(why, str) else None,
    }
