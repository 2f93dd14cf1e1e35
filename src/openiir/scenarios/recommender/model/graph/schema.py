"""Schemas of the knowledge graph: node, edge and meta-path types for films, games and books.

As in SimUSER, appendix D.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from openiir.kit.items.collection import Kind
from openiir.plugin import InputError

USER = "User"
LONGEST = 4
"""Largest number of edges of a meta-path."""

Origin = Literal["rated", "liked", "disliked", "gives", "gets", "attribute", "person", "interaction"]


@dataclass(frozen=True)
class NodeType:
    """A type of node, with the attribute that holds its values."""

    name: str
    column: str = ""
    """Name of the attribute, of items or of users, whose values are the nodes."""


@dataclass(frozen=True)
class EdgeType:
    """A type of edge, with its inverse and the data from which its edges come.

    From ratings: `rated`, `liked`, `disliked` (user to item), `gives` (user to the value, an edge for each
    rating) and `gets` (value to item, likewise). `attribute`: item to value; `person`: user to value;
    `interaction`: user to item, of pairs given beside the ratings under this edge's name.
    """

    name: str
    inverse: str
    source: str
    target: str
    origin: Origin


@dataclass(frozen=True)
class MetaPath:
    """A path of at most four edge types, from item to item."""

    name: str
    edges: tuple[str, ...]


@dataclass(frozen=True)
class Schema:
    """Node, edge and meta-path types of a domain.

    Raises InputError for a path whose edges do not join.
    """

    item: str
    nodes: tuple[NodeType, ...]
    edges: tuple[EdgeType, ...]
    paths: tuple[MetaPath, ...]

    def __post_init__(self) -> None:
        for path in self.paths:
            steps = self.steps(path)
            if len(steps) > LONGEST or _ends(steps[-1])[1] != self.item:
                raise InputError(
                    f"the meta-path {path.name} must lead from {self.item} to {self.item} in at most "
                    f"{LONGEST} edges"
                )

    @cached_property
    def columns(self) -> dict[str, str]:
        """Name of the attribute of each node type."""
        return {node.name: node.column for node in self.nodes}

    @cached_property
    def _steps_by_name(self) -> dict[tuple[str, str], tuple[EdgeType, bool]]:
        """Edge types by node type and edge name there, each with whether it is followed backwards."""
        there = {(edge.source, edge.name): (edge, False) for edge in self.edges}
        return there | {(edge.target, edge.inverse): (edge, True) for edge in self.edges}

    def steps(self, path: MetaPath) -> list[tuple[EdgeType, bool]]:
        """List a path's edge types in order, each with whether it is followed backwards."""
        at, steps = self.item, []
        for name in path.edges:
            if (at, name) not in self._steps_by_name:
                raise InputError(
                    f"the meta-path {path.name} has no edge {name!r} to leave {at} by; name one of the schema"
                )
            step = self._steps_by_name[at, name]
            steps.append(step)
            at = _ends(step)[1]
        return steps

    def round_trip(self, path: MetaPath) -> bool:
        """Whether a path's second half mirrors its first, so that the path is its own inverse."""
        steps = self.steps(path)
        return all(one is two and a != b for (one, a), (two, b) in zip(steps, reversed(steps), strict=True))

    def middle(self, path: MetaPath) -> str:
        """Find the node type in the middle of a symmetric path."""
        return _ends(self.steps(path)[len(path.edges) // 2 - 1])[1]


def schema_of(kind: Kind) -> Schema:
    """Look up the schema of a kind of item; `item` has what the three domains share."""
    return _SCHEMAS[kind]


def _ends(step: tuple[EdgeType, bool]) -> tuple[str, str]:
    edge, backwards = step
    return (edge.target, edge.source) if backwards else (edge.source, edge.target)


Part = tuple[tuple[EdgeType, ...], tuple[MetaPath, ...]]


def _people_part(item: str, verb: str, *more: str) -> Part:
    """Build the edge types of users (to items, age, occupation), with the paths along them.

    `verb` is what leaving a rating is called, `more` the interactions given beside ratings, by edge name.
    Purchases are edges that appendix D has no path along.
    """
    by = f"{verb}-by"
    edges = (
        EdgeType(verb, by, USER, item, "rated"),
        EdgeType("liked", "liked-by", USER, item, "liked"),
        EdgeType("disliked", "disliked-by", USER, item, "disliked"),
        *(EdgeType(name, _BY.get(name, f"{name}-by"), USER, item, "interaction") for name in more),
        EdgeType("has-occupation", "has-users", USER, "Occupation", "person"),
        EdgeType("has-age", "has-users", USER, "Age", "person"),
    )
    direct = [
        MetaPath(f"{item}-User-{item} {edge.name}", (edge.inverse, edge.name))
        for edge in edges
        if edge.target == item and edge.name != "purchased"
    ]
    alike = [
        MetaPath(f"{item}-{kind}-{item}", (by, f"has-{kind.lower()}", "has-users", verb))
        for kind in ("Occupation", "Age")
    ]
    return edges, (*direct, *alike)


_BY = {"bought-together": "bought-by"}


def _attribute_part(item: str, *of: tuple[str, str, str]) -> Part:
    """Build the edge types from items to attribute values, with the paths between items that share one.

    `of` holds node type, edge and inverse.
    """
    edges = tuple(EdgeType(name, inverse, item, kind, "attribute") for kind, name, inverse in of)
    return edges, tuple(
        MetaPath(f"{item}-{e.target.replace(' ', '')}-{item}", (e.name, e.inverse)) for e in edges
    )


def _value_part(item: str, verb: str, node: str, gives: tuple[str, str], gets: tuple[str, str]) -> Part:
    """Build the edge types through rating values, with the asymmetric path along them."""
    edges = (EdgeType(*gives, USER, node, "gives"), EdgeType(*gets, node, item, "gets"))
    return edges, (
        MetaPath(f"{item}-User-{node.replace(' ', '')}-{item}", (f"{verb}-by", gives[0], gets[0])),
    )


def _join_parts(item: str, *parts: Part) -> Schema:
    edges = tuple(edge for part in parts for edge in part[0])
    paths = tuple(path for part in parts for path in part[1])
    names = dict.fromkeys(name for edge in edges for name in (edge.source, edge.target))
    return Schema(item, tuple(NodeType(name, _COLUMNS.get(name, "")) for name in names), edges, paths)


_COLUMNS = {
    "Genre": "genre",
    "Director": "director",
    "Actor": "actor",
    "Release Year": "year",
    "Developer": "developer",
    "Author": "author",
    "Publisher": "publisher",
    "Tag": "tag",
    "Price": "price",
    "Release Date": "release_date",
    "Occupation": "occupation",
    "Age": "age",
}

_SOLD = (
    ("Publisher", "published-by", "published"),
    ("Price", "has-price", "contains"),
    ("Release Date", "released-on-date", "contains"),
    ("Tag", "tagged-as", "contains"),
)

_SENTIMENT = (("has-review-sentiment", "sentiment-of"), ("reviewed", "reviewed-with"))

_SCHEMAS: dict[Kind, Schema] = {
    "movie": _join_parts(
        "Movie",
        _people_part("Movie", "rated", "viewed"),
        _attribute_part(
            "Movie",
            ("Genre", "belongs-to", "contains"),
            ("Director", "directed-by", "directed"),
            ("Actor", "features", "acts-in"),
            ("Release Year", "released-in", "contains"),
        ),
        _value_part("Movie", "rated", "Rating", ("gives-rating", "given-by"), ("given-to", "received")),
    ),
    "game": _join_parts(
        "Game",
        _people_part("Game", "reviewed", "viewed", "purchased"),
        _attribute_part(
            "Game",
            ("Genre", "belongs-to-genre", "contains"),
            ("Developer", "developed-by", "developed"),
            *_SOLD,
        ),
        _value_part("Game", "reviewed", "Review Sentiment", *_SENTIMENT),
    ),
    "book": _join_parts(
        "Book",
        _people_part(
            "Book", "reviewed", "viewed", "purchased", "bought-together", "also-bought", "also-viewed"
        ),
        _attribute_part(
            "Book", ("Genre", "belongs-to-genre", "contains"), ("Author", "written-by", "wrote"), *_SOLD
        ),
        _value_part("Book", "reviewed", "Review Sentiment", *_SENTIMENT),
        ((EdgeType("tags", "tagged-by", USER, "Tag", "person"),), ()),
    ),
    "item": _join_parts(
        "Item",
        _people_part("Item", "rated", "viewed"),
        _attribute_part("Item", ("Genre", "belongs-to", "contains"), ("Tag", "tagged-as", "contains")),
        _value_part("Item", "rated", "Rating", ("gives-rating", "given-by"), ("given-to", "received")),
    ),
}
