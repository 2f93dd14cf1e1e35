"""Search sessions: searchers type queries, scan, open, read, reformulate and stop, beside one fixed query."""

from search_session.scenario import SearchSession

__all__ = ["SearchSession"]
