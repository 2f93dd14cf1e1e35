"""Push runs and sweeps to the store that a URL names; each kind of store is found by the URL's scheme."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from openiir.core.errors import InputError
from openiir.core.storage.graph_store import OPENERS
from openiir.runs.lab import push_to_postgres
from openiir.runs.push_graph import push_to_graph

Push = Callable[[Sequence[Path], str], Iterator[str]]
"""A function that pushes runs to the store at a URL and yields a message for each run."""
STORES: dict[str, Push] = {
    "postgresql": push_to_postgres,
    "postgres": push_to_postgres,
    **dict.fromkeys(OPENERS, push_to_graph),
}
"""How runs are pushed, by the scheme of the URL."""


def push_runs(folders: Sequence[Path], url: str) -> Iterator[str]:
    """Push runs to the store at a URL and yield a message for each; InputError for an unknown scheme."""
    scheme, found, _ = url.partition(":")
    if not found or scheme not in STORES:
        known = ", ".join(f"{name}://" for name in STORES)
        raise InputError(f"--to takes the URL of a store, which begins with one of: {known}")
    return STORES[scheme](folders, url)
