"""Small studies of the social medium, run offline."""

from pathlib import Path
from typing import Any

import pytest
import tomli_w
from small_medium import CONFIG, Run

from openiir.scenarios.social_media import SocialMedia
from openiir.testing import Finished, run_offline


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs a small study with these events, personas and keys."""
    made: list[Finished] = []

    def start(*events: Any, personas: Any = (), seed: int = 3, **config: Any) -> tuple[Finished, Any]:
        study: dict[str, Any] = {
            "type": "social_media",
            "seed": seed,
            "event": list(events),
            "config": CONFIG | config,
        }
        (tmp_path / "personas.toml").write_text(tomli_w.dumps({"persona": list(personas)}))
        study["personas"] = str(tmp_path / "personas.toml") if personas else []
        made.append(run_offline(study, tmp_path / f"run-{len(made)}"))
        return made[-1], SocialMedia().metrics(made[-1].log)

    return start
