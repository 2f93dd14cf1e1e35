"""Descriptions of views for the web app: what each is, and the agents that it can be narrowed to."""

from typing import Any

from openiir.core.storage import Log
from openiir.plugin import Surface
from openiir.runs.views.paging import MOST


def list_agents(surface: Surface, log: Log, people: dict[str, str]) -> list[tuple[str, str]]:
    """List ids and names of the agents that a view can be narrowed to; `people` are the personas."""
    if not surface.per_agent:
        return []
    ids = people if surface.agents is None else surface.agents(log)
    return [(id, people.get(id, id)) for id in ids]


def describe_surface(surface: Surface, log: Log, people: dict[str, str]) -> dict[str, Any]:
    """Describe a surface (a declared view) for the web app, with the first MOST of its agents."""
    why = surface.shows(log) if surface.shows else True
    agents = list_agents(surface, log, people)
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
