"""Answers of the JSON interface that the pages of an export request, by their paths."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

from openiir.runs.catalogue import RunCard
from openiir.runs.views.paging import MOST
from openiir.server.export.left_out import Part
from openiir.server.reading import Reader

KeyedAnswer = tuple[str, Any]
"""A path of the JSON interface, and its answer."""
VIEWED = ("timeline", "dialogue")
"""Forms that the viewer narrows to an agent itself."""
AGENTS = 30
"""Most agents of a view for which the view is also exported per agent."""
PROMPTS = 200
"""Most offline prompts of a kind in an export, evenly over the run; those of the ledger are all in it."""
BUNDLED = ("questions/", "chunks/", "agents/")
"""Parts of a run with many small answers, which are written together."""


def collect_answers(reader: Reader, id: str, without: Collection[Part] = ()) -> Iterator[KeyedAnswer]:
    """Yield all data that the pages of a run request: paths of the JSON API with their responses."""
    run = reader.describe(id)
    run |= {"checked": reader.check(id), "left_out": sorted(without)}
    yield "runs", {"runs": [{key: run[key] for key in RunCard.model_fields}], "next": None}
    yield f"runs/{id}", run
    yield f"runs/{id}/measures", reader.measures(id)
    chunks: dict[tuple[str, str], None] = {}
    for surface in run["surfaces"]:
        ids = [agent for agent, _ in surface["agents"]]
        narrowed = surface["form"] not in VIEWED and len(ids) <= AGENTS
        for agent in (None, *(ids if narrowed else ())):
            for key, page in _view_pages(reader, id, surface["name"], agent):
                chunks |= dict.fromkeys(_list_cites(page))
                yield key, page
    for agent, _ in run["people"]:
        yield from _agent_pages(reader, id, agent, without)
    if "prompts" not in without:
        for key, found in _questions(reader, id):
            if "personas" in without and "messages" in found:  # prompts describe who is asked
                found = {**found, "messages": [], "shadow": None, "passages": {}}
            if "sources" in without:
                found = {**found, "passages": {}}
            chunks |= dict.fromkeys(found.get("passages", {}).values())
            yield key, found
    if "sources" not in without:
        for world, chunk in chunks:
            yield f"runs/{id}/chunks/{world}/{chunk}", reader.chunk(id, world, chunk)


def _follow(key: str, get: Callable[[str], dict[str, Any]]) -> Iterator[KeyedAnswer]:
    """Yield all pages of an answer; `get` takes a cursor, which is the `next` of the page before."""
    after: str | None = "0"
    while after is not None:
        page = get(after)
        yield key if after == "0" else f"{key}{'&' if '?' in key else '?'}after={after}", page
        after = page["next"]


def _view_pages(reader: Reader, id: str, name: str, agent: str | None) -> Iterator[KeyedAnswer]:
    key = f"runs/{id}/surfaces/{name}" + (f"?agent={agent}" if agent else "")
    return _follow(key, lambda after: json.loads(reader.page(id, name, agent, after=after).write_json()))


def _agent_pages(reader: Reader, id: str, agent: str, without: Collection[Part]) -> Iterator[KeyedAnswer]:
    def get(after: str) -> dict[str, Any]:
        page = reader.agent(id, agent, int(after), MOST)
        if "personas" in without:
            page["persona"] = {key: page["persona"][key] for key in ("id", "name")}
        return page

    return _follow(f"runs/{id}/agents/{agent}", get)


def _list_cites(page: dict[str, Any]) -> Iterator[tuple[str, str]]:
    body = page["body"]
    for part in (*body.get("entries", ()), *body.get("nodes", ())):
        for cite in part.get("cites", ()):
            yield cite["world"], cite["chunk"]


def _questions(reader: Reader, id: str) -> Iterator[KeyedAnswer]:
    """Yield the list of questions, then those that an export holds."""
    key, cards = f"runs/{id}/questions", list[dict[str, Any]]()
    for page_key, page in _follow(
        key, lambda after: reader.questions(id, None, None, None, int(after), MOST)
    ):
        yield page_key, page
        cards += page["questions"]
    for place in _choose_questions(cards):
        yield f"{key}/{place}", reader.question(id, int(place))


def _choose_questions(cards: Sequence[dict[str, Any]]) -> list[str]:
    """Choose the questions of an export: all on record, and PROMPTS offline ones of each kind."""
    offline: dict[str, list[str]] = {}
    for card in cards:
        if card["answerer"] == "offline":
            offline.setdefault(card["kind"], []).append(card["place"])
    left_out = set[str]()
    for places in offline.values():
        kept = {places[n * len(places) // PROMPTS] for n in range(PROMPTS)}
        left_out.update(place for place in places if place not in kept)
    return [card["place"] for card in cards if card["place"] not in left_out]


def bundle_answers(data: Iterable[KeyedAnswer], id: str) -> Iterator[tuple[str, str, Any]]:
    """Yield the responses as blocks (form, key, value); up to MOST small ones form one block.

    Questions of one kind to one agent stand together, since they pack better.
    """
    bundles: dict[str, dict[str, Any]] = {}
    for key, value in data:
        prefix = next((f"runs/{id}/{part}" for part in BUNDLED if key.startswith(f"runs/{id}/{part}")), None)
        if "?agent=" in key:
            prefix = key.partition("?agent=")[0] + "?agent="
        if prefix is None:
            yield "key", key, value
        else:
            bundles.setdefault(prefix, {})[key] = value
    for prefix, values in bundles.items():
        keys = sorted(values, key=lambda key: [str(values[key].get(name)) for name in ("kind", "asker")])
        for start in range(0, len(keys), MOST):
            piece = {key: values[key] for key in keys[start : start + MOST]}
            yield "prefix", f"{prefix}#{start // MOST + 1}" if start else prefix, piece
