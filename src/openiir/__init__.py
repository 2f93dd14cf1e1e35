"""An open simulation platform for information-retrieval research."""

TYPE_CHECKING = False  # `typing` itself takes longer to import than all the rest of this
if TYPE_CHECKING:
    from openiir.api import Drawing, Run, Sweep, arun, compare, open_run, run, sweep

__version__ = "0.2.0.dev0"
__all__ = ["Drawing", "Run", "Sweep", "arun", "compare", "open_run", "run", "sweep"]


def __getattr__(name: str) -> object:
    """Load the Python door where it is used first, so that the import stays light."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module("openiir.api"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
