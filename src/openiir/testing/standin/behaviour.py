"""Options of the stand-in: latency, faults, and how it treats a JSON schema."""

from dataclasses import dataclass, field
from typing import Literal

from openiir.testing.standin.thoughts import Thinking

TRANSPORT_FAULTS = tuple(
    "429 429-after 429-date 500 503 garbage truncated wrong-shape empty cut-short dropped hang".split()
)
"""Faults of the answer as a whole. `truncated` is half a JSON body, whole by its length; `cut-short` is a
body that ends before its declared length; `dropped` closes without a byte; `hang` answers after `hang`
seconds."""

CONTENT_FAULTS = ("words", "truncated", "wrong-shape")
"""Faults in the content of a reply that should be JSON."""

Schemas = Literal["honoured", "ignored", "refused", "json_object"]


@dataclass(frozen=True)
class Faults:
    """Share and kinds of requests to the fake endpoint that fail, determined by request and attempt."""

    share: float = 0.0
    """Share of attempts that fail, 0 to 1."""
    kinds: tuple[str, ...] = ("429", "500", "garbage", "truncated", "wrong-shape", "empty", "dropped")
    most: int = 3
    """Largest number of failures of one request; later attempts succeed."""
    retry_after: float = 0.05
    """Seconds that `429-after` and `429-date` ask for."""
    hang: float = 30.0
    """Seconds after which a hanging request is answered."""

    def __post_init__(self) -> None:
        unknown = sorted(set(self.kinds) - set(TRANSPORT_FAULTS))
        if unknown:
            raise ValueError(f"no fault is called {unknown[0]!r}; known: {', '.join(TRANSPORT_FAULTS)}")


@dataclass(frozen=True)
class Behaviour:
    """Options of the fake model endpoint's answers."""

    latency: float = 0.0
    """Seconds before each answer."""
    faults: Faults = field(default_factory=Faults)
    malformed: float = 0.0
    """Share of schema-bound requests whose reply does not fit: a function of the request alone, so that
    asking the same again gives the same misfit and only another request, such as a repair, another reply."""
    malformed_kinds: tuple[str, ...] = CONTENT_FAULTS
    schemas: Schemas = "honoured"
    """`honoured`: the reply is an instance. `ignored`: `response_format` is taken and not looked at, and
    the prompt's own schema is answered in a fenced block. `refused`: 400. `json_object`: 400 but for that
    form."""
    thinking: Thinking = ""
    """Where the reasoning before each reply stands; none by default."""
    thoughts: int = 0
    """Tokens of each reasoning, 0 for those of its words; a request that allows no more gets no answer."""
    cached: float = 0.0
    """Share of each prompt that is counted as cached."""
    sees: bool = True
    """Whether pictures are accepted; else a request with one gets 500, as from llama.cpp's server."""
    key: str | None = None
    """The API key that is demanded; others get 401 with what they sent quoted back at them."""
    models: tuple[str, ...] = ("standin",)
    """The models listed; a request for another gets 404, but the default takes any name."""
    embeddings: bool = True
    upstream: str | None = None
    """The base URL (http, ending in /v1) of a server that answers in the stand-in's place what meets no
    fault; `malformed` and all that follows it have no bearing then."""
