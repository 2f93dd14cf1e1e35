"""Write one prompt of each kind of question, as a model is sent it, to `prompts/KIND.txt` for review.

python tests/golden/record_prompts.py
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openiir.core.asking import PlacedQuestion

HERE = Path(__file__).parent / "prompts"
sys.path.append(str(HERE.parents[1] / "shared"))
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
OF_VISITS = (
    "taste",
    "persona",
    "match",
    "self-ask",
    "browse",
    "act",
    "reflect",
    "interview",
    "judge",
    "after",
)
TASK = (
    "config.discrimination.least=2",
    "config.discrimination.items=4",
    "config.discrimination.negatives=[1]",
)
SEARCHING = (
    "config.rounds=11",
    "config.searchers=4",
    "config.queries=10",
    "event=[{at='round 1', kind='outage', channel='click'}]",
)
"""Searchers whose pages answer in one arm, that of the middle question."""
RATED = ("config.rating.unknown=true", "config.rating.items=4")
STUDIES: Sequence[tuple[str, Sequence[str], Sequence[str]]] = (
    (
        "panel",
        ("world.dimensions=16",),
        (
            "panel.stand",
            "panel.look-up",
            "panel.speak",
            "panel.moderate",
            "panel.interview",
            "claims.extract",
        ),
    ),
    (
        "panel",
        ("world.dimensions=16", "config.shape=delphi", "web_search=true"),
        ("panel.estimate", "panel.search"),
    ),
    ("panel", ("world.dimensions=16", "config.shape=ideation"), ("panel.pitch", "panel.vote", "panel.rank")),
    ("curated_feed", FEW_READERS, ("curated_feed.browse", "curated_feed.survey", "curated_feed.interview")),
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
            for kind in (
                "understand",
                "respond",
                "realise",
                "speak",
                "stop",
                "go-on",
                "judge",
                "say-over",
                "after",
            )
        ),
    ),
    (
        "social_media",
        (
            "config.members=60",
            "config.followees=8",
            "config.rounds=11",
            "config.activity.posts=0.1",
            "config.searches=0.5",
        ),
        ("social_media.react", "social_media.compose", "social_media.search", "social_media.interview"),
    ),
    (
        "multi_generational",
        (
            "config.generations=3",
            "config.producers=3",
            "config.detectors=3",
            "config.pairs=2",
            "config.rounds=2",
            "config.controls=[]",
            "config.mutation.text=0.5",
            "config.matrix.generations=0",
        ),
        (
            "claims.author",
            "claims.judge",
            "claims.moderate",
            "evolution.rewrite",
            "multi_generational.interview",
        ),
    ),
    (
        "asymmetric_memory",
        ("config.members=40", "config.rounds=5", "config.share=1.0"),
        ("asymmetric_memory.choose",),
    ),
    ("twin_ecosystem", ("config.searchers=20", "config.rounds=4"), ("twin_ecosystem.use",)),
    ("feedback_outage", SEARCHING, ("feedback_outage.search",)),
    (
        "open_web",
        (
            "config.people=48",
            "config.spaces.number=4",
            "config.spaces.writers=6",
            "config.rounds=6",
            "config.shares=[0.5]",
            "config.visits.summaries=0.5",
        ),
        ("open_web.read",),
    ),
    (
        "coordination_emergent",
        ('config.traces=["names"]', "config.members=60", "config.rounds=9", "config.sources=20"),
        ("coordination_emergent.ask",),
    ),
    (
        "tiered_capability",
        ("config.members=20", "config.rounds=5", "config.tiers.T1.web=9", "config.tiers.T2.web=9"),
        ("tiered_capability.open",),
    ),
    (str(HERE.parent / "people"), (), ("conversational.extract-need",)),
    (
        "conversational",
        (
            "config.dialogues=2",
            "config.judge.together=true",
            'config.systems=["attribute"]',
            "config.data.synthetic.users=40",
            "config.data.synthetic.items=80",
        ),
        ("conversational.judge-together",),
    ),
    ("recommender", (*FEW, "config.judge.visits=1"), tuple(f"recommender.{kind}" for kind in OF_VISITS)),
    ("recommender", (*FEW, "config.experiment=discrimination", *TASK), ("recommender.recognise",)),
    ("recommender", (*FEW, "config.experiment=rating", *RATED), ("recommender.rate", "recommender.genre")),
    (
        "recommender",
        (*FEW, "config.experiment=thumbnails", "config.thumbnails.items=1"),
        ("recommender.caption",),
    ),
    ("recommender", (*FEW, "config.experiment=coherence", "config.coherence.requests=1"), ()),
    ("recommender", (*FEW, "config.experiment=personas"), ()),
)
"""A study, what is set in it, and the kinds whose prompts are taken from it: the middle one of each.

Together they have each type's every shape, mode and experiment.
"""


def page(group: "Sequence[PlacedQuestion]") -> str:
    """The messages of the middle question, as sent."""
    messages = group[len(group) // 2].messages()
    return "\n\n".join(f"[{message.role}]\n{message.text}" for message in messages) + "\n"


def main() -> None:
    """One file a kind."""
    from prompts_asked import asked_in, drafts_asked

    HERE.mkdir(exist_ok=True)
    (HERE / "personas.draft.txt").write_text(page(drafts_asked()), encoding="utf-8")
    for study, sets, kinds in STUDIES:
        found = asked_in(study, sets)
        for kind in kinds:
            (HERE / f"{kind}.txt").write_text(page(found[kind]), encoding="utf-8")


if __name__ == "__main__":
    main()
