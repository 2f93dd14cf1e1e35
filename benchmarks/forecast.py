"""How near the forecast of a run comes to the run, without and with a pilot, for every type.

Each type's small study is answered by the stand-in server, which behaves unlike the behaviour models: it is
piloted, forecast, resumed to its end and compared. Prints a line a type, and the largest error of each.

    python benchmarks/forecast.py                      all types and the medium of 300 personas
    python benchmarks/forecast.py panel open_web       some
"""

import math
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "shared"))

from piloted_runs import Piloted, run_piloted  # noqa: E402

from openiir.core.llm import Endpoint  # noqa: E402
from openiir.core.personas import save_personas  # noqa: E402
from openiir.runs.settings import Settings  # noqa: E402
from openiir.runs.types import find_type  # noqa: E402
from openiir.testing import cast  # noqa: E402
from openiir.testing.standin import StandIn  # noqa: E402

STUDIES: dict[str, tuple[int, Sequence[str]]] = {
    "asymmetric_memory": (3, ["config.rounds=15"]),
    "conversational": (12, ["config.dialogues=10", "config.judge.dialogues=10"]),
    "coordination_emergent": (3, ["config.rounds=15"]),
    "curated_feed": (2, ["config.users=60", "config.weeks=6", "config.promoted=8", "config.evaluate=[]"]),
    "feedback_outage": (5, []),
    "multi_generational": (
        2,
        ["config.controls=[]", "config.generations=6", "config.producers=3", "config.detectors=3"]
        + ["config.pairs=3", "config.matrix.generations=2", "config.matrix.pairs=2"],
    ),
    "open_web": (2, []),
    "panel": (8, []),
    "recommender": (8, ["config.users=16", "config.data.synthetic={users=60, items=80}"]),
    "social_media": (8, ["config.members=200"]),
    "social_media:300": (1, ["config.members=300", "config.rounds=3", "event=[]"]),
    "tiered_capability": (3, []),
    "twin_ecosystem": (3, []),
}
"""Steps or lanes of the pilot, and keys of the study, by type; after a colon the number of personas."""


def _line(name: str, found: Piloted) -> str:
    without, by_pilot = found.errors(found.rehearsed), found.errors(found.piloted)
    low, high = found.piloted.replies or (0, 0)
    return (
        f"{name:22} {found.piloting:6,} of {found.calls:6,} calls | "
        f"without {without[0]:+5.0%} {without[1]:+5.0%} | pilot {by_pilot[0]:+5.0%} {by_pilot[1]:+5.0%} | "
        f"replies {low:,} to {high:,}: "
        f"{found.reply_tokens:,}{'' if found.replies_hold else ' (outside)'}"
    )


def main() -> None:
    """Compare the types named on the command line, or all."""
    names = sys.argv[1:] or list(STUDIES)
    worst = 0.0
    print("type                   the pilot's calls      | calls, prompt tokens, forecast against run")
    with StandIn() as server, TemporaryDirectory() as scratch:
        settings = Settings(endpoint=(Endpoint(url=server.url, width=16),))
        for name in names:
            size, sets = STUDIES[name]
            study, _, people = name.partition(":")
            if people:
                folder = shutil.copytree(find_type(study).reference, Path(scratch) / f"{study}-study")
                crowd = [one.model_copy(update={"tokens": 20_000}) for one in cast(int(people))]
                save_personas(folder / "personas.toml", crowd)
                study = str(folder)
            found = run_piloted(study, size, sets, settings, Path(scratch) / name.replace(":", "-"))
            print(_line(name, found), flush=True)
            worst = max(worst, *map(math.fabs, found.errors(found.piloted)))
    print(f"largest error with a pilot: {worst:.0%}")


if __name__ == "__main__":
    main()
