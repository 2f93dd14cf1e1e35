"""Studies of the golden runs, and their measures and views in a form that can be recorded."""

import json
from pathlib import Path
from typing import Any

from openiir import scenarios
from openiir.core.storage import Log
from openiir.runs.post_run import scenario_of, surfaces_of
from openiir.runs.run_io import open_checked

_AUDITED_FEED, _AUDITED_MEMORY = (
    str(Path(scenarios.__path__[0]) / type / "reference" / "audit")
    for type in ("curated_feed", "asymmetric_memory")
)
_PANEL = ['cast=["wen-zhao", "nora-feld", "dmitri-vance"]', "config.passages=3", "world.dimensions=16"]
_MODEL = ['answers={default = "model", kind = {"panel.moderate" = "offline"}}', "model.name=standin"]
"""Settings for answers by a model, except the moderator's, which could end the panel early by chance."""
_FEED = [
    *(
        "config.weeks=3 config.sessions=2 config.audit_items=6 config.audit_users=3 config.users=16 "
        "config.topics=4 config.slots=4 config.candidates=12 config.items.per_week=30 config.promoted=3"
    ).split(),
    "event=[{at = 'week 1', kind = 'inject', items = 4, topic = 2, valence = -0.8, quality = 1.0}, "
    "{at = 'week 2', kind = 'inject', items = 4, topic = 2, valence = -0.8, quality = 1.0}, "
    "{at = 'week 3', kind = 'inject', items = 4, topic = 2, valence = -0.8, quality = 1.0}]",
]
_VISITORS = [
    "config.data.synthetic={users=60, items=90}",
    "config.users=4",
    'config.systems=["random", "ease"]',
]
_TASKS = {
    "discrimination": "discrimination={negatives=[1, 3], items=4, least=2}",
    "rating": "rating={items=6, unknown=true}",
    "coherence": "coherence.requests=2",
    "thumbnails": "thumbnails.items=4",
    "personas": "users=4",
}
_TALKS = ["config.data.synthetic={users=30, items=60}", "config.dialogues=3", "config.turns=6"]

STUDIES: dict[str, tuple[str, list[str]]] = {
    "llm-assessors": ("panel", []),
    **{
        f"by-model-{shape}": ("panel", [*_PANEL, *_MODEL, f"config.shape={shape}"])
        for shape in ("standard", "delphi", "ideation")
    },
    **{f"panel-{shape}": ("panel", [*_PANEL, f"config.shape={shape}"]) for shape in ("delphi", "ideation")},
    "feed": ("curated_feed", _FEED),
    "feed-repulsion": (
        "curated_feed",
        [
            *_FEED,
            *'config.ranker=history config.beside=["none"] config.repeats=true config.kept=0.5'.split(),
            "config.clicks={model='dbn', intercept=0.0}",
            "config.beliefs={rule='repulsion', rate=0.8, repel_beyond=0.5, repulsion=1.0}",
        ],
    ),
    "feed-world": (_AUDITED_FEED, []),
    "recommender-visits": (
        "recommender",
        [
            *_VISITORS,
            "config.page={most=6, items=4, reviews='negative'}",
            "config.retrain_every=2",
            "config.judge.visits=2",
            "config.visitors={memory='sim', warm_up='als', warm_up_pages=1, exposure=true}",
            "config.battery={pages=[0, 2], items=6}",
        ],
    ),
    "recommender-patch": (
        "recommender",
        [
            *_VISITORS,
            'config.systems=["popularity", "itemknn", "als"]',
            "config.page={most=8, returns=5, clicks=3}",
            "config.visitors={leaving='patch', travel=2.0, persona=false, taste='content'}",
        ],
    ),
    **{
        f"recommender-{name}": ("recommender", [*_VISITORS, f"config.experiment={name}", f"config.{key}"])
        for name, key in _TASKS.items()
    },
    "social-media": (
        "social_media",
        (
            "config.members=60 config.followees=8 config.rounds=10 config.activity.posts=0.1 "
            "config.reproduction=2.0 world.dimensions=8"
        ).split(),
    ),
    "generations": (
        "multi_generational",
        (
            "config.generations=4 config.producers=4 config.detectors=4 config.pairs=4 "
            "config.matrix.generations=2 config.matrix.pairs=4 config.mutation.text=0.3 world.dimensions=16"
        ).split(),
    ),
    "memory": (
        "asymmetric_memory",
        (
            "config.members=30 config.rounds=5 config.drift=0.8 config.new_goal=0.1 config.memory=decayed:4"
        ).split(),
    ),
    "memory-world": (_AUDITED_MEMORY, ["config.memory=shared:town", "config.rounds=3"]),
    "twin-ecosystem": (
        "twin_ecosystem",
        ("config.searchers=40 config.rounds=3 world.free.dimensions=2 world.regulated.dimensions=2").split(),
    ),
    "outage": (
        "feedback_outage",
        [
            'cast=["ines", "tobias"]',
            *"config.rounds=6 config.searchers=30 config.queries=12 config.documents=12".split(),
            "event=[{at = 'round 2', kind = 'outage', channel = 'click', share = 0.8}, "
            "{at = 'round 4', kind = 'restore', channel = 'click'}]",
        ],
    ),
    "open-web": (
        "open_web",
        [
            *"config.people=40 config.spaces.number=4 config.spaces.writers=3 config.rounds=3".split(),
            *"config.shares=[0.5] config.retreat.rounds=2 config.economy.publishers=40".split(),
            *("config.economy.entry=0.2", "world.dimensions=2", 'world.sources=["sources/night-walking"]'),
        ],
    ),
    "coordination-emergent": (
        "coordination_emergent",
        'config.members=40 config.rounds=10 config.sources=16 config.planted=6 cast=["ruth-abel"]'.split(),
    ),
    "tiers": (
        "tiered_capability",
        [
            *"config.members=30 config.rounds=3 config.seats=3 world.main.dimensions=2".split(),
            *("world.web.dimensions=2", "config.tiers.T3.web=2", 'cast=["lena-ott", "greta-holm"]'),
            "change=[{at = 'round 3', set = {'config.tiers.T0.mode' = 'hybrid'}}]",
        ],
    ),
    "conversational": (
        "conversational",
        [
            *_TALKS,
            'config.systems=["random", "attribute", "neighbours"]',
            "config.judge={dialogues=3, probes=true}",
        ],
    ),
    "conversational-ratings": (
        "conversational",
        [
            *_TALKS,
            'config.simulators=["agenda"]',
            'config.systems=["popularity", "prompted"]',
            "config.judge={dialogues=1}",
            "config.needs={source='ratings', stars=3.0, requests={least=1, most=2}}",
            "config.users.patience={mean=0.9, sd=0.0}",
        ],
    ),
}
"""Name of each golden run to its study and settings."""


def views_of(folder: Path) -> dict[str, Any]:
    """Return a run's measures and surfaces as plain data; lists that can be cut have two entries."""
    with open_checked(folder, finished=True) as run:
        log, scenario = Log(run), scenario_of(run)
        measures = {name: m.value if m.defined else m.reason for name, m in scenario.metrics(log).items()}
        surfaces = {
            name: _plain(surface.view(log, n=2) if surface.counts else surface.view(log))
            for name, surface in surfaces_of(scenario).items()
        }
    return read_views(json.dumps({"measures": measures, "surfaces": surfaces}))


def read_views(text: str) -> dict[str, Any]:
    """Parse recorded views, with numbers rounded to nine digits to allow for library differences."""
    return dict(json.loads(text, parse_float=lambda number: float(f"{float(number):.9g}")))


def _plain(view: Any) -> Any:
    return [_plain(part) for part in view] if isinstance(view, list) else json.loads(view.model_dump_json())
