"""Worlds, the texts that agents can look up: sources, chunks, lookup, and justified web search."""

from openiir.core.world.chunking import chunk_all
from openiir.core.world.declaration import WorldSpec
from openiir.core.world.fetch import Limits, fetch_pages
from openiir.core.world.justification import inadequate
from openiir.core.world.sources import LoadedSources, Skipped, SourceDocument, load
from openiir.core.world.websearch import SearXNG, Tavily, WebSearch, web_search
from openiir.core.world.world import INSUFFICIENT, CitationContext, Hit, Policy, World

__all__ = [
    "INSUFFICIENT",
    "Hit",
    "CitationContext",
    "Limits",
    "LoadedSources",
    "Policy",
    "SearXNG",
    "Skipped",
    "SourceDocument",
    "Tavily",
    "WebSearch",
    "World",
    "WorldSpec",
    "chunk_all",
    "fetch_pages",
    "inadequate",
    "load",
    "web_search",
]
