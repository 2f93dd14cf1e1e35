"""Access to language models: provider protocol, client of OpenAI-compatible endpoints, pooling."""

from openiir.core.llm.content import picture
from openiir.core.llm.embeddings import RecordedEmbedder, StoredEmbedder
from openiir.core.llm.endpoint import Connection, Endpoint, Endpoints, connect
from openiir.core.llm.prices import Prices
from openiir.core.llm.provider import Provider, Reply, Request, Sampling
from openiir.core.llm.response_body import (
    estimated_tokens,
    split_reasoning,
    tokens_for_words,
    with_reasoning,
    without_reasoning,
)
