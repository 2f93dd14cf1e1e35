"""What a run knows: sources, chunks, lookup, and justified web search."""

from openiir.core.world.chunking import chunk, chunk_all
from openiir.core.world.declaration import WorldSpec
from openiir.core.world.fetch import Limits, fetch_pages
from openiir.core.world.justification import inadequate
from openiir.core.world.sources import Loaded, Skipped, Source, load
from openiir.core.world.websearch import SearXNG, Tavily, WebSearch, web_search
from openiir.core.world.world import INSUFFICIENT, Hit, InPlace, Policy, World

__all__ = [
    "INSUFFICIENT",
    "Hit",
    "InPlace",
    "Limits",
    "Loaded",
    "Policy",
    "SearXNG",
    "Skipped",
    "Source",
    "Tavily",
    "WebSearch",
    "World",
    "WorldSpec",
    "chunk",
    "chunk_all",
    "fetch_pages",
    "inadequate",
    "load",
    "web_search",
]
