"""A small study of producers and detectors, on the type's own pairs and pages."""

from pathlib import Path
from typing import Any

from openiir.scenarios.multi_generational.run.setup import REFERENCE
from openiir.testing import Finished, run_offline

CONFIG: dict[str, Any] = {
    "generations": 4,
    "producers": 4,
    "detectors": 5,
    "pairs": 4,
    "matrix": {"generations": 4, "agents": 4, "pairs": 3},
}


def run_small(folder: Path, *changes: Any, **config: Any) -> Finished:
    """Run the small study with these changes and keys."""
    study = {
        "type": "multi_generational",
        "seed": 5,
        "personas": str(REFERENCE / "personas.toml"),
        "change": list(changes),
    }
    return run_offline(
        study | {"world": {"sources": [str(REFERENCE / "sources")]}, "config": CONFIG | config}, folder
    )


def run_summaries(folder: Path) -> Finished:
    """Run it without controls, log summaries alone, and let no generations meet each other."""
    return run_small(folder, log="summaries", matrix={"generations": 0}, controls=[])
