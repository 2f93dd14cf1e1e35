"""Forms of views for trees and graphs: argument graphs, threads, cascades, lineages, social networks."""

from collections.abc import Mapping
from typing import Literal, Self

from pydantic import Field, model_validator

from openiir.core.records import Claim, Edge, Record

Tone = Literal[
    "good", "bad", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "quiet"
]
"""Colours by role; each renderer chooses the actual colours."""


class Cite(Record):
    """A cited span of a chunk, as offsets into the chunk's text."""

    world: str
    chunk: str
    start: int = Field(ge=0)
    end: int
    label: str = ""
    """The citation in words, for output without links."""


class Ref(Record):
    """A link from a part of a view to something in its run, such as an agent or a claim."""

    to: Literal["agent", "claim", "chunk", "entry", "item", "question", "run"]
    id: str
    label: str = ""
    """The reference in words, such as an item's title; empty for kind and id."""


class TreeNode(Record):
    """A node of a tree; roots have an empty parent."""

    id: str
    parent: str = ""
    label: str
    value: float | None = None
    step: int = 0
    state: str = ""
    refs: tuple[Ref, ...] = ()


class Tree(Record):
    """A forest, such as threads, cascades or lineages; parents are listed before their children."""

    nodes: tuple[TreeNode, ...]
    unit: str = ""
    """Unit or meaning of the nodes' values."""

    @model_validator(mode="after")
    def _refuse_orphans(self) -> Self:
        known: set[str] = set()
        for node in self.nodes:
            if node.id in known:
                raise ValueError(f"two nodes have the id {node.id!r}; number them")
            if node.parent and node.parent not in known:
                raise ValueError(f"{node.id!r} stands before its parent {node.parent!r}; list parents first")
            known.add(node.id)
        return self


class Graph(Record):
    """An argument graph: claims and typed edges; can be exported as AIF, GraphML and Cypher."""

    topic: str
    claims: tuple[Claim, ...]
    edges: tuple[Edge, ...]
    strengths: dict[str, float] = {}
    speakers: dict[str, str] = {}
    """Names of personas by id."""
    world: str = ""
    """Name of the world whose chunks the claims cite; empty if they cite none."""

    def network(self) -> "Network":
        """Convert the argument graph to a network of nodes and links, for drawing."""
        tones: Mapping[str, Tone]
        tones = {"supports": "good", "counters": "bad", "refines": "first", "questions": "second"}
        nodes = tuple(
            NetworkNode(
                id=claim.id,
                label=self.speakers.get(claim.speaker, claim.speaker),
                kind="question" if claim.text.endswith("?") else claim.side,
                group=claim.speaker,
                step=claim.step,
                weight=self.strengths.get(claim.id),
                text=claim.text,
                cites=tuple(
                    Cite(world=self.world, chunk=c.chunk, start=c.start, end=c.end) for c in claim.cites
                ),
            )
            for claim in self.claims
        )
        links = tuple(
            NetworkLink(source=e.source, target=e.target, kind=e.type, weight=e.confidence, step=e.step)
            for e in self.edges
        )
        kinds = {
            kind: LinkKind(tone=tone, dash=kind in ("refines", "questions")) for kind, tone in tones.items()
        }
        return Network(nodes=nodes, edges=links, kinds=kinds, weight_name="strength")


class NetworkNode(Record):
    """A node of a network; x and y, if given, are its position in the unit square."""

    id: str
    label: str
    kind: str = ""
    group: str = ""
    step: int = 0
    weight: float | None = None
    text: str = ""
    cites: tuple[Cite, ...] = ()
    x: float | None = None
    y: float | None = None


class NetworkLink(Record):
    """A directed link between two nodes of a network."""

    source: str
    target: str
    kind: str = ""
    weight: float | None = None
    step: int = 0


class LinkKind(Record):
    """Drawing style of one kind of link."""

    tone: Tone
    dash: bool = False


class Network(Record):
    """A network: nodes and directed links of any kind."""

    nodes: tuple[NetworkNode, ...]
    edges: tuple[NetworkLink, ...]
    kinds: dict[str, LinkKind] = {}
    weight_name: str = "weight"
    """What the weights of nodes measure, in one or two words."""

    @model_validator(mode="after")
    def _refuse_loose_ends(self) -> Self:
        known = {node.id for node in self.nodes}
        loose = next((e for e in self.edges if not {e.source, e.target} <= known), None)
        if loose is not None:
            raise ValueError(f"the link {loose.source!r} to {loose.target!r} ends at no node; give both ends")
        return self
