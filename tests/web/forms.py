"""Made-up views of every form; `odd` gives the words that their texts end with."""

import math
import random
from collections.abc import Callable, Sequence

from openiir.plugin import (
    Bins,
    Card,
    Cards,
    Cite,
    Column,
    Distribution,
    Entry,
    LinkKind,
    Mark,
    Matrix,
    Network,
    NetworkLink,
    NetworkNode,
    Ranking,
    Ref,
    Report,
    Section,
    Series,
    SurfaceView,
    Table,
    Tree,
    TreeNode,
    half_width,
)

PEOPLE = ("ana", "bo", "cy", "dee")
STEPS = 40
Words = Callable[[str], str]
"""Turns a text into the text that is shown."""


def dialogue(words: Words) -> list[Entry]:
    return [
        Entry(
            step=n + 1,
            turn=n // 2 + 1,
            actor=words("Recommender") if n % 2 else "Ana Ruiz",
            agent="" if n % 2 else "ana",
            text=words(
                "Have you seen Local Hero (1983)?" if n % 2 else "I would like something slow and funny."
            ),
            side="system" if n % 2 else "user",
            acts=(words("recommend"), "ask") if n % 2 else ("reveal",),
            grade=3.5 if n % 2 else None,
            id=f"d{n}",
        )
        for n in range(24)
    ]


def network(words: Words, nodes: int, cite: Cite) -> Network:
    draw = random.Random(7)
    sides = ("supporting", "challenging", "neutral")
    return Network(
        nodes=tuple(
            NetworkNode(
                id=f"k{n}",
                label=words(PEOPLE[n % 4].title()),
                kind=sides[n % 3],
                group=PEOPLE[n % 4],
                step=1 + n * STEPS // nodes,
                weight=draw.random(),
                text=words(f"Claim {n}: a panel of models is cheaper than a panel of people."),
                cites=(cite,) if n % 4 == 0 else (),
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


def series(words: Words) -> Series:
    names = [words(who.title()) for who in PEOPLE]
    lines = {
        name: tuple((n, 0.8 * math.sin(n / 9 + shift)) for n in range(STEPS + 1))
        for shift, name in enumerate(names)
    }
    band = tuple((n, y - 0.12, y + 0.12) for n, y in lines[names[0]])
    news = (Mark(x=12, label=words("news arrives")),)
    return Series(unit=words("stance"), low=-1, high=1, lines=lines, bands={names[0]: band}, marks=news)


def tree(words: Words) -> Tree:
    draw = random.Random(3)
    replies = (
        TreeNode(
            id=f"t{n}",
            parent=f"t{draw.randrange(max(0, n - 6), n)}",
            label=words(f"Reply {n} on assessors"),
            value=round(draw.random() * 9, 2),
            step=1 + n // 2,
            state=words("hidden") if n % 9 == 0 else "",
            refs=(Ref(to="agent", id="bo"),) if n % 6 == 0 else (),
        )
        for n in range(1, 60)
    )
    first = TreeNode(id="t0", label="First post", value=9.0, step=1, state="open")
    return Tree(nodes=(first, *replies), unit=words("likes"))


def table(words: Words) -> Table:
    draw = random.Random(5)
    columns = (
        words("item"),
        Column(name="who", kind="agent"),
        Column(name="share", kind="share", help=words("Share of impressions")),
        Column(name="mean", kind="float", unit=words("points")),
        half_width("mean"),
        Column(name="kept", kind="bool"),
    )
    rows = (
        (words(f"item {n}"), PEOPLE[n % 4], draw.random(), draw.gauss(3, 1), 0.2, n % 3 == 0 or None)
        for n in range(1300)
    )
    return Table(columns=columns, rows=tuple(rows))


def matrix(words: Words) -> Matrix:
    return Matrix(
        rows=tuple(words(f"topic {n}") for n in range(6)),
        columns=tuple(words(f"round {n}") for n in range(8)),
        cells=tuple(tuple(None if r == c else math.cos(r + 2 * c) for c in range(8)) for r in range(6)),
        unit="affinity",
        low=-1,
        high=1,
        middle=0,
    )


def distribution(words: Words) -> Distribution:
    bins = Bins(bins=tuple(n / 2 for n in range(11)), counts=(1, 3, 7, 12, 20, 22, 18, 9, 4, 1))
    quantiles = {words(who): tuple((s / 4, s + i / 2) for s in range(5)) for i, who in enumerate(PEOPLE)}
    return Distribution(
        unit=words("words"), groups={words("people"): bins, "models": bins}, quantiles=quantiles
    )


def ranking(words: Words) -> Ranking:
    scored = ((words(f"query {q}"), words(f"doc-{d}"), 1 / (1 + d + q)) for q in range(5) for d in range(30))
    return Ranking.of(scored, "bm25")


def cards(words: Words) -> Cards:
    return Cards(
        items=tuple(
            Card(
                id=f"i{n}",
                title=words(f"Film {n}"),
                text=words("A slow comedy."),
                fields={words("year"): words(str(1980 + n)), "=": "a sign"},
                badge=words("new") if n % 4 == 0 else "",
            )
            for n in range(90)
        )
    )


def report(words: Words, claims: Sequence[str]) -> Report:
    statements = (
        (words("Ana went from for to against."), tuple(claims[:2])),
        (words("Bo stayed."), tuple(claims[2:3])),
    )
    section = Section(title=words("Positions"), statements=statements, counter=(tuple(claims[3:4]), ()))
    return Report(title=words("What the panel agreed on"), sections=(section,))


FORMS: dict[str, Callable[[Words], SurfaceView]] = {
    "series": series,
    "dialogue": dialogue,
    "tree": tree,
    "table": table,
    "matrix": matrix,
    "distribution": distribution,
    "ranking": ranking,
    "cards": cards,
}
"""Forms of which a view needs nothing of its run."""
