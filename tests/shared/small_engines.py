"""Search engines for tests of worlds' own retrievers: one of Elasticsearch's wire, and Python ones."""

import json
import time
from types import SimpleNamespace

from small_server import SmallServer

PASSAGES: dict[str, str] = {}
"""Texts that the Python engines search, by id."""
ASKED: list[dict] = []
"""Requests to the Python engines."""
ANSWER: dict = {}
"""What `fixed` answers."""
MADE: list[object] = []
"""Instances of `Pipeline`."""


def overlap(query, texts, k):
    """The k texts with the most words of the query, of equals the last: no index of openiir's ranks so."""
    words = set(query.lower().split())
    scored = [(len(words & set(text.lower().split())) + 1, id) for id, text in texts.items()]
    return [(id, float(score)) for score, id in sorted(scored, reverse=True)[:k]]


class Elastic(SmallServer):
    """`POST /INDEX/_search` with a match query, answered as Elasticsearch does; `heard` is what was asked."""

    def __init__(self, texts, port=0):
        self.texts, self.heard = texts, []
        super().__init__(self.search, port)

    def search(self, path, body):
        self.heard.append({"path": path, **body})
        query, size = body["query"]["match"]["text"], body["size"]
        hits = [
            {"_index": "passages", "_id": id, "_score": score}
            for id, score in overlap(query, self.texts, size)
        ]
        total = {"value": len(hits), "relation": "eq"}
        top = hits[0]["_score"] if hits else None
        return 200, {
            "took": time.perf_counter_ns() % 1_000,
            "timed_out": False,
            "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0},
            "hits": {"total": total, "max_score": top, "hits": hits},
        }


def search(request):
    """Search by shared words."""
    ASKED.append(request)
    found = overlap(request["query"], PASSAGES, request["k"])
    return {"ids": [id for id, _ in found], "scores": [score for _, score in found]}


def fixed(request):
    """Answer the same to every query."""
    return json.loads(ANSWER["json"]) if "json" in ANSWER else ANSWER["value"]


class Column(list):
    """A column of a result, as pandas has it."""

    def tolist(self):
        return list(self)


class Pipeline:
    """A pipeline with PyTerrier's interface: `%` cuts, `search` takes a query, results have columns."""

    def __init__(self, k=1_000):
        self.k = k
        MADE.append(self)

    def __mod__(self, k):
        return Pipeline(k)

    def search(self, query):
        if not all(sign.isalnum() or sign.isspace() for sign in query):
            raise ValueError(f"Failed to parse query {query!r}")  # as Terrier's parser does
        ASKED.append({"query": query, "k": self.k})
        found = overlap(query, PASSAGES, self.k)
        return SimpleNamespace(docno=Column(id for id, _ in found), score=Column(s for _, s in found))
