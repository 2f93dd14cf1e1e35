"""What tests of a plug-in need: the contract to inherit, an offline run, personas, a stand-in for a model.

`ScenarioContract` is the contract, whose checks are in `contract*`, `probing` and `prompt_checks`;
`run_offline` and `cast` make runs and people for tests of one's own; `standin` answers like a model's server.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from openiir.testing.contract import ScenarioContract
    from openiir.testing.offline import Finished, run_offline
    from openiir.testing.people import cast

__all__ = ["Finished", "ScenarioContract", "cast", "run_offline"]

_HOMES = {"cast": "people", "ScenarioContract": "contract", "Finished": "offline", "run_offline": "offline"}


def __getattr__(name: str) -> Any:
    """Import a name at its first use, so that a stand-in server starts without pytest."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"openiir.testing.{_HOMES[name]}"), name)
