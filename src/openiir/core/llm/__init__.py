"""Access to models: one provider protocol, a client of OpenAI-compatible endpoints, pooling and retries."""

from openiir.core.llm.bodies import estimated_tokens, tokens_of, with_reasoning, without_reasoning
from openiir.core.llm.content import picture
from openiir.core.llm.embeddings import RecordedEmbedder, StoredEmbedder, TextEmbedder, VectorStore
from openiir.core.llm.endpoint import Connection, Endpoint, Endpoints, connect
from openiir.core.llm.meter import Meter, Prices
from openiir.core.llm.provider import Provider, Reply, Request, Sampling
from openiir.core.llm.retrying import OnTry, listen_to_tries, report_try

__all__ = [
    "Connection",
    "TextEmbedder",
    "Endpoint",
    "Endpoints",
    "Meter",
    "OnTry",
    "Prices",
    "Provider",
    "RecordedEmbedder",
    "Reply",
    "Request",
    "Sampling",
    "StoredEmbedder",
    "VectorStore",
    "connect",
    "estimated_tokens",
    "picture",
    "report_try",
    "listen_to_tries",
    "tokens_of",
    "with_reasoning",
    "without_reasoning",
]
