"""Access to models: one provider protocol, the OpenAI-compatible wire, and wrappers around it."""

from openiir.core.llm.bodies import estimated_tokens, tokens_of
from openiir.core.llm.content import picture
from openiir.core.llm.embeddings import Embedder, RecordOnly, Stored, VectorStore
from openiir.core.llm.endpoint import Connection, Endpoint, Endpoints, connect
from openiir.core.llm.priced import Meter, Prices
from openiir.core.llm.provider import Provider, Reply, Request, Sampling
from openiir.core.llm.retrying import OnTry, report_try, reporting

__all__ = [
    "Connection",
    "Embedder",
    "Endpoint",
    "Endpoints",
    "Meter",
    "OnTry",
    "Prices",
    "Provider",
    "RecordOnly",
    "Reply",
    "Request",
    "Sampling",
    "Stored",
    "VectorStore",
    "connect",
    "estimated_tokens",
    "picture",
    "report_try",
    "reporting",
    "tokens_of",
]
