"""Schemas of the knowledge graph: edge and meta-path types for films, games and books.

As in SimUSER, appendix D.
"""

from dataclasses import dataclass
from typing import Literal

from openiir.kit.items.collection import Kind

USER = "User"
COLUMNS = {
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
"""Name of the attribute, of items or of users, whose values are the nodes of a type."""
Origin = Literal["rated", "liked", "disliked", "gives", "gets", "attribute", "person", "interaction"]


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
    """A path of at most four edges, from item to item."""

    name: str
    steps: tuple[tuple[EdgeType, bool], ...]
    """Edge types in order, each with whether it is followed backwards."""

    @property
    def round_trip(self) -> bool:
        """Whether the second half mirrors the first, so that the path is its own inverse."""
        mirrored = tuple((edge, not backwards) for edge, backwards in reversed(self.steps))
        return self.steps == mirrored

    @property
    def middle(self) -> str:
        """Node type in the middle of a round trip."""
        edge, backwards = self.steps[len(self.steps) // 2 - 1]
        return edge.source if backwards else edge.target


@dataclass(frozen=True)
class Schema:
    """Edge and meta-path types of a domain; `item` is the node type of its items."""

    item: str
    edges: tuple[EdgeType, ...]
    paths: tuple[MetaPath, ...]


def schema_of(kind: Kind) -> Schema:
    """Look up the schema of a kind of item; `item` has what the three domains share."""
    return _SCHEMAS[kind]


def _build_schema(
    item: str,
    verb: str,
    interactions: dict[str, str],
    attributes: tuple[tuple[str, str, str], ...],
    values: tuple[str, tuple[str, str], tuple[str, str]],
    *more: EdgeType,
) -> Schema:
    """Build a schema with the edge types of users, attributes and rating values, and the paths along them.

    `verb` is what leaving a rating is called. `interactions` are inverses by edge name, `attributes` node
    type, edge and inverse of each, `values` the node type of rating values with the edges to and from it.
    Purchases and `more` are edges that appendix D has no path along.
    """
    rated = EdgeType(verb, f"{verb}-by", USER, item, "rated")
    to_items = (
        rated,
        EdgeType("liked", "liked-by", USER, item, "liked"),
        EdgeType("disliked", "disliked-by", USER, item, "disliked"),
        *(EdgeType(name, inverse, USER, item, "interaction") for name, inverse in interactions.items()),
    )
    to_people = tuple(
        EdgeType(f"has-{node.lower()}", "has-users", USER, node, "person") for node in ("Occupation", "Age")
    )
    to_values = tuple(EdgeType(name, inverse, item, node, "attribute") for node, name, inverse in attributes)
    node, to_node, from_node = values
    gives, gets = EdgeType(*to_node, USER, node, "gives"), EdgeType(*from_node, node, item, "gets")
    paths = [
        *((f"User-{item} {e.name}", ((e, True), (e, False))) for e in to_items if e.name != "purchased"),
        *((f"{e.target}-{item}", ((rated, True), (e, False), (e, True), (rated, False))) for e in to_people),
        *((f"{e.target.replace(' ', '')}-{item}", ((e, False), (e, True))) for e in to_values),
        (f"User-{node.replace(' ', '')}-{item}", ((rated, True), (gives, False), (gets, False))),
    ]
    return Schema(
        item,
        (*to_items, *to_people, *to_values, gives, gets, *more),
        tuple(MetaPath(f"{item}-{name}", steps) for name, steps in paths),
    )


_VIEWED = {"viewed": "viewed-by"}
_BOUGHT = {**_VIEWED, "purchased": "purchased-by"}
_GENRE = ("Genre", "belongs-to-genre", "contains")
_SOLD = (
    ("Publisher", "published-by", "published"),
    ("Price", "has-price", "contains"),
    ("Release Date", "released-on-date", "contains"),
    ("Tag", "tagged-as", "contains"),
)
_RATING = ("Rating", ("gives-rating", "given-by"), ("given-to", "received"))
_SENTIMENT = ("Review Sentiment", ("has-review-sentiment", "sentiment-of"), ("reviewed", "reviewed-with"))
_SCHEMAS: dict[Kind, Schema] = {
    "movie": _build_schema(
        "Movie",
        "rated",
        _VIEWED,
        (
            ("Genre", "belongs-to", "contains"),
            ("Director", "directed-by", "directed"),
            ("Actor", "features", "acts-in"),
            ("Release Year", "released-in", "contains"),
        ),
        _RATING,
    ),
    "game": _build_schema(
        "Game", "reviewed", _BOUGHT, (_GENRE, ("Developer", "developed-by", "developed"), *_SOLD), _SENTIMENT
    ),
    "book": _build_schema(
        "Book",
        "reviewed",
        {
            **_BOUGHT,
            "bought-together": "bought-by",
            "also-bought": "also-bought-by",
            "also-viewed": "also-viewed-by",
        },
        (_GENRE, ("Author", "written-by", "wrote"), *_SOLD),
        _SENTIMENT,
        EdgeType("tags", "tagged-by", USER, "Tag", "person"),
    ),
    "item": _build_schema(
        "Item",
        "rated",
        _VIEWED,
        (("Genre", "belongs-to", "contains"), ("Tag", "tagged-as", "contains")),
        _RATING,
    ),
}
