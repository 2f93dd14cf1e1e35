"""Records the golden runs anew; run it when a change is meant to change them, and say so in the commit.

python tests/golden/record.py [NAME ...]
"""

import asyncio
import json
import shutil
import sys
from pathlib import Path
from typing import Any

from openiir.core.llm import Endpoint
from openiir.runs.engine import Watcher, drive
from openiir.runs.prepare import prepare_run
from openiir.runs.settings import Settings
from openiir.runs.study import load_study
from openiir.testing.standin import Behaviour, StandIn

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent / "shared"))


def record(name: str, settings: Settings) -> None:
    from golden_runs import STUDIES, views_of

    study, sets = STUDIES[name]
    folder = HERE / name
    shutil.rmtree(folder, ignore_errors=True)
    with prepare_run(load_study(study, sets), folder, settings) as run:
        print(name, asyncio.run(drive(run, settings, Watcher())))
    for litter in (*folder.glob("run.lock"), *folder.glob("live.json")):
        litter.unlink()
    (folder / "views.json").write_text(line_by_line(views_of(folder)))


def line_by_line(views: dict[str, Any]) -> str:
    """JSON with a line for each measure and each surface, so that a diff shows which have changed."""
    line = "{}: {}".format
    parts = {
        part: ",\n".join(
            line(json.dumps(name), json.dumps(view, ensure_ascii=False)) for name, view in named.items()
        )
        for part, named in views.items()
    }
    return "{" + ",\n".join(f'"{part}": {{\n{lines}\n}}' for part, lines in parts.items()) + "}\n"


def main(*names: str) -> None:
    """Small studies of each type offline, and small panels of each shape answered by a stand-in model."""
    from golden_runs import STUDIES

    with StandIn(Behaviour(malformed=0.1)) as server:
        for name in names or STUDIES:
            record(name, Settings(endpoint=Endpoint(url=server.url)))


if __name__ == "__main__":
    main(*sys.argv[1:])
