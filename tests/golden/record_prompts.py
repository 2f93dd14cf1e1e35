"""Writes one whole prompt of each kind of question, as a model would be sent it: `prompts/KIND.txt`. Review them by reading.

python tests/golden/record_prompts.py
"""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from openiir.core.asking import Asked, Offline
from openiir.runs.assemble import Sources, assemble
from openiir.runs.begin import begin
from openiir.runs.engine import Silent, run_steps
from openiir.runs.settings import Settings
from openiir.runs.study import load_study

HERE = Path(__file__).parent / "prompts"
BY_MODEL = ("answers=model", "model.name=any")
FEW_READERS = (
    "config.users=30",
    "config.promoted=3",
    "config.weeks=3",
    "config.beside=[]",
    "config.evaluate=[]",
)
FEW = (
    "config.users=2",
    "config.page.most=3",
    "config.data.synthetic={users=60, items=90}",
    'config.systems=["ease"]',
)
"""Visitors, pages, and what they are drawn from."""
OF_VISITS = ("taste", "persona", "match", "self-ask", "browse", "act", "reflect", "interview", "judge")
TASK = (
    "config.discrimination.least=2",
    "config.discrimination.items=4",
    "config.discrimination.negatives=[1]",
)
RATED = ("config.rating.unknown=true", "config.rating.items=4")
STUDIES: Sequence[tuple[str, Sequence[str], Sequence[str]]] = (
    ("panel", ("world.dimensions=16",), ("panel.stand", "panel.look-up", "panel.speak", "panel.moderate")),
    ("panel", ("world.dimensions=16", "config.shape=delphi"), ("panel.estimate",)),
    ("panel", ("world.dimensions=16", "config.shape=ideation"), ("panel.pitch", "panel.vote", "panel.rank")),
    ("curated_feed", FEW_READERS, ("curated_feed.browse", "curated_feed.survey")),
    (
        "conversational",
        (
            "config.dialogues=4",
            "config.judge.dialogues=2",
            'config.systems=["prompted"]',
            "config.data.synthetic.users=40",
            "config.data.synthetic.items=80",
        ),
        tuple(
            f"conversational.{kind}"
            for kind in ("understand", "respond", "realise", "speak", "stop", "go-on", "judge", "say-over")
        ),
    ),
    ("recommender", (*FEW, "config.judge.visits=1"), tuple(f"recommender.{kind}" for kind in OF_VISITS)),
    ("recommender", (*FEW, "config.experiment=discrimination", *TASK), ("recommender.recognise",)),
    ("recommender", (*FEW, "config.experiment=rating", *RATED), ("recommender.rate", "recommender.genre")),
    (
        "recommender",
        (*FEW, "config.experiment=thumbnails", "config.thumbnails.items=1"),
        ("recommender.caption",),
    ),
)
"""A study, what is set in it, and the kinds whose prompts are taken from it: the middle one of each."""


class _Offline(Offline):
    """Answers offline under a model's name, so that everything is asked that a model would be asked."""

    def __init__(self, name: str) -> None:
        self.name = self.label = name


def asked_in(study: str, sets: Sequence[str]) -> dict[str, list[Asked]]:
    """All questions of a study that a model answers, by kind."""
    found: dict[str, list[Asked]] = {}

    async def rehearse(run: object) -> None:
        async with AsyncExitStack() as exits:
            machine = await assemble(run, Settings(), Sources(live=False), exits)
            answering = machine.stage.answering
            answering.answerers = {name: _Offline(name) for name in answering.answerers}
            answering.watch = lambda asked, name: found.setdefault(asked.question.kind, []).append(asked)
            await run_steps(machine, run, Silent())

    with (
        TemporaryDirectory() as scratch,
        begin(load_study(study, [*BY_MODEL, *sets]), Path(scratch) / "run", Settings()) as run,
    ):
        asyncio.run(rehearse(run))
    return found


def prompts() -> dict[str, str]:
    """By kind, the messages as sent."""
    pages = {}
    for study, sets, kinds in STUDIES:
        found = asked_in(study, sets)
        for kind in kinds:
            middle = found[kind][len(found[kind]) // 2]
            pages[kind] = (
                "\n\n".join(f"[{message.role}]\n{message.text}" for message in middle.messages()) + "\n"
            )
    return pages


def main() -> None:
    """One file a kind."""
    HERE.mkdir(exist_ok=True)
    for kind, page in prompts().items():
        (HERE / f"{kind}.txt").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
