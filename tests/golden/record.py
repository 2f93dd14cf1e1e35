"""Records the golden runs anew; run it when a change is meant to change them, and say so in the commit.

    python tests/golden/record.py
"""

import asyncio
import shutil
from pathlib import Path

from openiir.core.llm import Endpoint
from openiir.runs.begin import begin
from openiir.runs.engine import Silent, drive
from openiir.runs.settings import Settings
from openiir.runs.study import load_study
from openiir.testing.standin import Behaviour, StandIn

HERE = Path(__file__).parent
SMALL = ['cast=["wen-zhao", "nora-feld", "dmitri-vance"]', "config.passages=3", "world.dimensions=16"]
MODEL = ['answers={default = "model", kind = {"panel.moderate" = "offline"}}', "model.name=standin"]
"""All but the moderator, whom chance would soon have end the panel."""


def record(name: str, sets: list[str], settings: Settings) -> None:
    folder = HERE / name
    shutil.rmtree(folder, ignore_errors=True)
    with begin(load_study("panel", sets), folder, settings) as run:
        print(name, asyncio.run(drive(run, settings, Silent())))
    for litter in folder.glob("run.lock"):
        litter.unlink()


def main() -> None:
    """The reference study offline, and small panels of each shape answered by a stand-in model."""
    record("llm-assessors", [], Settings())
    with StandIn(Behaviour(malformed=0.1)) as server:
        settings = Settings(endpoint=Endpoint(url=server.url))
        for shape in ("standard", "delphi", "ideation"):
            record(f"by-model-{shape}", [*SMALL, *MODEL, f"config.shape={shape}"], settings)


if __name__ == "__main__":
    main()
