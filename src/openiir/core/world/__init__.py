"""Worlds, the text collections that agents search: sources, chunks, lookup, and justified web search."""

from openiir.core.world.chunking import chunk_sources
from openiir.core.world.declaration import WorldSpec, name_worlds
from openiir.core.world.fetch import FetchLimits, fetch_pages
from openiir.core.world.justification import search_refusal
from openiir.core.world.sources import SkippedSource, SourceDocument, load_sources
from openiir.core.world.websearch import SearXNG, Tavily, WebSearch, web_search
from openiir.core.world.world import INSUFFICIENT, Hit, World
