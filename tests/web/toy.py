"""A run that shows every form, as the JSON that the web app reads: the records are those of plug-ins, the run is made up."""

import math
import random
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from openiir.plugin import (
    Bins,
    Card,
    Cards,
    Distribution,
    Entry,
    Mark,
    Matrix,
    Ranking,
    Report,
    Section,
    Series,
    Surface,
    Table,
    Tree,
    TreeNode,
    half_width,
)
from openiir.plugin.forms import Column
from openiir.plugin.graph_forms import Cite, LinkKind, Network, NetworkLink, NetworkNode, Ref
from openiir.runs.views.paging import cut_page

NAMES = {"ana": "Ana Ruiz", "bo": "Bo Chen", "cy": "Cyrus Mehta", "dee": "Dee Okafor"}
STEPS = 40
HOSTILE = (
    "<script>document.title='owned'</script><img src=x onerror=alert(1)> **bold** `code` "
    "https://example.org/a?b=c \u202eright to left\u202c مرحبا بالعالم\n- one\n- two\n" + "w" * 100_000
)
EMPTY = "Nobody was asked: the study sets no [questions]."


def _entries(count: int) -> list[Entry]:
    people = list(NAMES)
    acts = ("assert", "counter", "question", "concede")
    found = [Entry(step=1, actor=None, heading="opening", text="Everyone says where they stand.", id="e0")]
    for n in range(1, count):
        who = people[n % len(people)]
        text = (
            HOSTILE
            if n == 7
            else f"Utterance {n}: assessors and models agree on most documents. " * (1 + n % 3)
        )
        found.append(
            Entry(
                step=1 + n * STEPS // count,
                actor=NAMES[who],
                agent=who,
                heading=acts[n % 4],
                text=text,
                id=f"e{n}",
                seq=n,
                notes=("tokens: 48",) if n % 5 == 0 else (),
                cites=(Cite(world="library", chunk="c01", start=4, end=24),) if n % 3 == 0 else (),
                refs=(Ref(to="claim", id=f"k{n % 20}"),) if n % 4 == 0 else (),
                of=f"ask:{n}:{who}" if n % 2 else "",
                depth=n % 3,
            )
        )
    return found


def _dialogue() -> list[Entry]:
    found = []
    for n in range(24):
        user = n % 2 == 0
        found.append(
            Entry(
                step=n + 1,
                turn=n // 2 + 1,
                actor="Ana Ruiz" if user else "Recommender",
                agent="ana" if user else "",
                text="I would like something slow and funny." if user else "Have you seen Local Hero (1983)?",
                side="user" if user else "system",
                acts=("reveal",) if user else ("recommend", "ask"),
                grade=None if user else 3.5,
                id=f"d{n}",
            )
        )
    return found


def _network(nodes: int) -> Network:
    draw = random.Random(7)
    people = list(NAMES)
    kinds = ("supporting", "challenging", "neutral")
    return Network(
        nodes=tuple(
            NetworkNode(
                id=f"k{n}",
                label=NAMES[people[n % 4]],
                kind=kinds[n % 3],
                group=people[n % 4],
                step=1 + n * STEPS // nodes,
                weight=draw.random(),
                text=f"Claim {n}: a panel of models is cheaper than a panel of people.",
                cites=(Cite(world="", chunk="c01", start=4, end=24),) if n % 4 == 0 else (),
            )
            for n in range(nodes)
        ),
        edges=tuple(
            NetworkLink(
                source=f"k{n}",
                target=f"k{draw.randrange(n)}",
                kind=draw.choice(("supports", "counters", "refines")),
                weight=0.8,
                step=1 + n * STEPS // nodes,
            )
            for n in range(1, nodes)
            for _ in range(1 + (n % 5 == 0))
        ),
        kinds={
            "supports": LinkKind(tone="good"),
            "counters": LinkKind(tone="bad"),
            "refines": LinkKind(tone="first", dash=True),
        },
    )


def _series() -> Series:
    lines = {
        name: tuple((n, 0.8 * math.sin(n / 9 + shift)) for n in range(STEPS + 1))
        for shift, name in enumerate(NAMES.values())
    }
    band = tuple((n, y - 0.12, y + 0.12) for n, y in lines["Ana Ruiz"])
    return Series(
        unit="stance",
        low=-1,
        high=1,
        lines=lines,
        bands={"Ana Ruiz": band},
        marks=(Mark(x=12, label="news arrives"),),
    )


def _tree() -> Tree:
    draw = random.Random(3)
    nodes = [TreeNode(id="t0", label="First post", value=9.0, step=1, state="open")]
    nodes += [
        TreeNode(
            id=f"t{n}",
            parent=f"t{draw.randrange(max(0, n - 6), n)}",
            label=f"Reply {n} on assessors",
            value=round(draw.random() * 9, 2),
            step=1 + n // 2,
            state="hidden" if n % 9 == 0 else "",
            refs=(Ref(to="agent", id="bo"),) if n % 6 == 0 else (),
        )
        for n in range(1, 60)
    ]
    return Tree(nodes=tuple(nodes), unit="likes")


def _table(rows: int) -> Table:
    draw = random.Random(5)
    columns = (
        "item",
        Column(name="who", kind="agent"),
        Column(name="share", kind="share", help="Share of impressions"),
        Column(name="mean", kind="float", unit="points"),
        half_width("mean"),
        Column(name="kept", kind="bool"),
    )
    return Table(
        columns=columns,
        rows=tuple(
            (f"item {n}", list(NAMES)[n % 4], draw.random(), draw.gauss(3, 1), 0.2, n % 3 == 0 or None)
            for n in range(rows)
        ),
    )


def _views(entries: int, nodes: int) -> list[tuple[str, str, str, str, Any]]:
    names = tuple(NAMES.values())
    grid = tuple(tuple(None if r == c else math.cos(r + 2 * c) for c in range(8)) for r in range(6))
    bins = Bins(bins=tuple(n / 2 for n in range(11)), counts=(1, 3, 7, 12, 20, 22, 18, 9, 4, 1))
    ranks = Ranking.of(
        ((f"query {q}", f"doc-{d}", 1 / (1 + d + q)) for q in range(5) for d in range(30)), "bm25"
    )
    cards = tuple(
        Card(
            id=f"i{n}",
            title=f"Film {n}",
            text="A slow comedy.",
            fields={"year": str(1980 + n)},
            badge="new" * (n % 4 == 0),
        )
        for n in range(90)
    )
    report = Report(
        title="What the panel agreed on",
        sections=(
            Section(
                title="Positions",
                statements=(("Ana went from for to against.", ("k1", "k5")), ("Bo stayed.", ("k2",))),
                counter=(("k3",), ()),
            ),
        ),
    )
    quantiles = {n: tuple((s / 4, s + i / 2) for s in range(5)) for i, n in enumerate(names)}
    return [
        ("report", "report", "Report", "result", report),
        ("transcript", "timeline", "Transcript", "result", _entries(entries)),
        ("argument", "graph", "Argument graph", "result", _network(nodes)),
        ("stances", "series", "Stances", "result", _series()),
        ("talks", "dialogue", "Dialogues", "result", _dialogue()),
        ("threads", "tree", "Threads", "process", _tree()),
        ("activity", "table", "Activity", "process", _table(1300)),
        ("affinity", "matrix", "Affinity", "process", Matrix(
            rows=tuple(f"topic {n}" for n in range(6)), columns=tuple(f"round {n}" for n in range(8)),
            cells=grid, unit="affinity", low=-1, high=1, middle=0)),
        ("lengths", "distribution", "Lengths", "process", Distribution(
            unit="words", groups={"people": bins, "models": bins}, quantiles=quantiles)),
        ("lists", "ranking", "Ranked lists", "data", ranks),
        ("items", "cards", "Items", "data", Cards(items=cards)),
        ("asked", "table", "Questions asked", "data", EMPTY),
    ]  # fmt: skip


@dataclass
class Toy:
    """Answers to the paths of the API, for runs `toy` (finished), `now` (running), `broken` and `dead`."""

    entries: int = 120
    nodes: int = 40
    views: dict[str, tuple[Surface, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, form, title, group, view in _views(self.entries, self.nodes):
            surface = Surface(
                name=name,
                form=form,  # type: ignore[arg-type]
                title=title,
                view=lambda log, view=view: view,
                group=group,  # type: ignore[arg-type]
                help=f"What {title.lower()} are and how to read them.",
                live="append" if form == "timeline" else "replace",
                per_agent=form == "timeline",
            )
            self.views[name] = (surface, view)

    def card(self, run: str, state: str = "finished") -> dict[str, Any]:
        changed = [["discussion.rounds", 8], ["seed", 11]] if run == "toy" else []
        return {
            "id": run, "type": "toy", "name": f"the {run} run", "seed": 11, "state": state, "steps": STEPS,
            "planned": STEPS if state == "finished" else 60, "events": 1234, "calls": 0, "content": "sha256:" + "ab" * 32,
            "started": "2026-11-20T10:00:00Z", "heard": None, "changed": changed, "sweep": None,
        }  # fmt: skip

    def runs(self) -> list[dict[str, Any]]:
        cards = [
            self.card("toy"),
            self.card("now", "running"),
            self.card("broken", "damaged"),
            self.card("dead", "killed"),
        ]
        return cards + [
            {**self.card(f"grid-{n}"), "sweep": "grid", "changed": [["lambda", n]]} for n in range(5)
        ]

    def run(self, name: str) -> dict[str, Any]:
        card = next(c for c in self.runs() if c["id"] == name)
        surfaces = [
            {
                "name": s.name, "form": s.form, "title": s.title, "help": s.help, "group": s.group, "live": s.live,
                "per_agent": s.per_agent, "agents": [[i, n] for i, n in NAMES.items()] if s.per_agent else [],
                "empty": view if isinstance(view, str) else None,
            }
            for s, view in self.views.values()
        ]  # fmt: skip
        return card | {
            "study": {"type": "toy", "seed": 11, "discussion": {"rounds": 8}, "topic": "Assessors"},
            "settings_left_out": True,
            "surfaces": surfaces,
            "interviews": [{"name": "why", "title": "Why did you say that?"}],
            "measures": [
                {"name": "polarisation", "value": 0.4132, "reason": None},
                {"name": "nDCG@10", "value": None, "reason": "no judgements in this run"},
            ],
            "checked": {"ok": card["state"] != "damaged", "at": "2026-11-20T10:00:00Z"},
            "labels": [[1, "opening"], [3, "round 1"], [20, "round 2"], [40, "end"]],
            "progress": [
                {"lane": "panel", "done": 12, "of": 60, "label": "utterances", "words": "I am not so sure …"}
            ],
        }

    def surface(self, name: str, query: dict[str, str]) -> dict[str, Any] | None:
        surface, view = self.views[name]
        if isinstance(view, str):
            return None
        until = int(query.get("until", STEPS))
        if isinstance(view, list):
            view = [e for e in view if e.step <= until and query.get("agent", e.agent) == e.agent]
        seek = int(query["seek"]) if "seek" in query else None
        return cut_page(
            surface, view, STEPS, query.get("after"), int(query.get("limit", 500)), seek
        ).model_dump(mode="json")

    def question(self, place: str) -> dict[str, Any]:
        return {
            **self.question_card(place), "messages": [
                {"role": "system", "text": "You are Ana Ruiz."}, {"role": "user", "text": f"What do you say? {HOSTILE[:200]}"}],
            "schema": {"type": "object", "properties": {"text": {"type": "string"}}},
            "replies": [
                {"reply": "not JSON", "usable": False, "error": "no JSON object in the reply", "attempt": 1},
                {"reply": {"text": "I am for it."}, "usable": True, "error": None, "attempt": 2}],
            "shadow": {"messages": [{"role": "user", "text": "What do you say?"}], "reply": {"text": "I am against it."}},
            "executed": True,
        }  # fmt: skip

    def question_card(self, place: str) -> dict[str, Any]:
        _, n, who = place.split(":")
        return {
            "place": place, "asker": who, "kind": "utterance", "step": int(n) // 3, "answerer": "offline",
            "outcome": "answered", "attempts": 2,
        }  # fmt: skip

    def answer(self, target: str) -> Any:
        """The JSON of a GET of a path below /api/, or None where there is nothing."""
        where, query = urlsplit(target).path, {k: v[0] for k, v in parse_qs(urlsplit(target).query).items()}
        match [unquote(part) for part in where.split("/")]:
            case ["about"]:
                return {"version": "0.0.0", "write": True, "token_needed": False}
            case ["runs"]:
                return {"runs": self.runs(), "next": None}
            case ["runs", run] if any(c["id"] == run for c in self.runs()):
                return self.run(run)
            case ["runs", _, "surfaces", name] if name in self.views:
                return self.surface(name, query)
            case ["runs", _, "agents", who] if who in NAMES:
                persona = {
                    "id": who,
                    "name": NAMES[who],
                    "bio": f"{NAMES[who]} has judged documents for ten years. " * 3,
                    "traits": {"warm": 0.4},
                }
                events = [
                    {"seq": n, "step": n, "kind": ("said", "lookup")[n % 2], "text": f"Event {n}."}
                    for n in range(30)
                ]
                return {
                    "persona": persona,
                    "events": events,
                    "next": None,
                    "asked": 31,
                    "debits": 4,
                    "tokens": 605,
                }
            case ["runs", _, "questions"]:
                places = [f"ask:{n}:{who}" for n in range(40) for who in NAMES]
                if "asker" in query:
                    places = [p for p in places if p.endswith(query["asker"])]
                return {
                    "questions": [self.question_card(p) for p in places],
                    "next": None,
                    "total": len(places),
                }
            case ["runs", _, "questions", place]:
                return self.question(place)
            case ["runs", _, "chunks", world, chunk]:
                return {
                    "world": world, "chunk": chunk, "source": "evaluation.md", "before": "Text before it. ", "after": " Text after it.",
                    "text": "The 😀 cited words stand in this chunk, and more follow.", "cited": [{"start": 4, "end": 24, "entry": "e3"}],
                }  # fmt: skip
            case ["compare"]:
                arms = [{"id": r, "name": r} for r in parse_qs(urlsplit(target).query)["run"]]
                return {"arms": arms, "measures": [
                    {"name": "polarisation", "values": [0.41, 0.3], "difference": -0.11, "low": -0.2, "high": -0.02, "p": 0.03, "reason": None},
                    {"name": "nDCG@10", "values": [None, None], "difference": None, "low": None, "high": None, "p": None, "reason": "no judgements"},
                ]}  # fmt: skip
        return None
