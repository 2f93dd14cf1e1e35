"""Settings of this machine, which may not change a result; never hashed, never exported."""

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from openiir.core import files
from openiir.core.errors import InputError
from openiir.core.llm import Connection, Endpoint, Endpoints, Prices, connect
from openiir.core.records import Record
from openiir.core.storage import UsageFile, default_usage_file, receipts
from openiir.core.storage.postgres.url import read_settings_url
from openiir.core.toml import validate_record
from openiir.runs.terminal import print_message
from openiir.runs.trust import Trust, Untrusted, read_trusted, settings_folder

T = TypeVar("T")


class RunLimits(Record):
    """Limits at which a run stops cleanly; after raising one, `openiir resume` continues the run."""

    calls: int | None = Field(None, ge=0)
    tokens: int | None = Field(None, ge=0)
    """Limit on prompt and reply tokens together."""
    money: float | None = Field(None, ge=0)
    """Limit on the cost, in the currency of the endpoint's prices."""


class SearchService(Record):
    """The service for web searches: a SearXNG instance, or Tavily."""

    service: Literal["searxng", "tavily"] = "searxng"
    url: str = ""
    """Address of the SearXNG instance, such as http://localhost:8080; not needed for Tavily."""
    key_env: str | None = None
    """The environment variable that holds Tavily's key."""


class SystemSettings(Record):
    """Settings of one declared system under test."""

    width: int = Field(32, ge=1)
    """Largest number of sessions with the system that dialogues keep open at the same time."""


def _cache_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "openiir"


def _check_mirror(url: str | None) -> str | None:
    try:
        return url and read_settings_url(url).full.reveal()
    except InputError as error:  # what stands there may be a password
        raise PydanticCustomError("secret", "{why}", {"why": str(error)}) from None


class Settings(Record):
    """Settings of this machine, as in `openiir.toml`."""

    endpoint: Endpoints = ()
    """The OpenAI-compatible endpoint: a URL, or a table with url, key_env, width, ...; or a list of those."""
    embeddings: Endpoints = ()
    """The endpoint for embeddings, if it is not `endpoint`."""
    limits: RunLimits = RunLimits()
    inputs: files.InputLimits = Field(default_factory=files.limits)
    """Limits on the size of input files; left out, the limits in force in this process."""
    search: SearchService | None = None
    systems: dict[str, SystemSettings] = {}
    """Settings of systems under test, by the name that studies declare them under."""
    human: Literal["terminal", "file"] = "terminal"
    """How people are asked: at this terminal, or by files in the run's `inbox/`."""
    runs: Path = Path("runs")
    """Folder for runs that are given no --out."""
    library: Path = Path("~/.local/share/openiir/personas")
    """Folder of the personas that all studies share."""
    cache: Path = Field(default_factory=_cache_folder)
    """Folder of views that took long to compute; may be deleted at any time.
    By default below $XDG_CACHE_HOME or ~/.cache."""
    receipts: Path = Field(default_factory=receipts.default_receipts_folder)
    """Folder that says which runs were made here; a lab may share it.
    By default below $XDG_STATE_HOME or ~/.local/state."""
    usage: Path = Field(default_factory=default_usage_file)
    """File in which runs on this machine count what they use of endpoints with limits that they share.
    By default below $XDG_STATE_HOME or ~/.local/state."""
    workers: int = Field(1, ge=1)
    """Number of threads that compute a crowd, and of processes for dialogues among offline agents."""
    block: int = Field(4096, ge=1)
    """Number of users of a crowd that are computed at a time."""
    checkpoint_every: int | None = Field(None, ge=0)
    """Steps between two checkpoints of a crowd; 0 for none. Left out, one is written every 10 seconds."""
    mirror: Annotated[str | None, AfterValidator(_check_mirror)] = None
    """URL, without a password, of a PostgreSQL database to which each run is sent while it goes on."""
    trust: Trust = Trust()
    """Permissions of every study on this machine, in addition to those given by `openiir trust STUDY`."""
    allow_private_addresses: bool = False
    """Whether a world's URLs may lead to private or loopback addresses."""

    @property
    def prices(self) -> Prices:
        """Prices of the tokens at the first endpoint."""
        return self.endpoint[0].prices if self.endpoint else Prices()


def load_settings(path: Path | None = None, workers: int | None = None) -> Settings:
    """Load settings from `path`, $OPENIIR_SETTINGS, ./openiir.toml or ~/.config/openiir/settings.toml.

    Their limits on inputs hold in this process from then on; the settings file itself is read under the
    defaults. `workers` replaces the number in the file.
    """
    files.set_limits(files.InputLimits)
    settings = _find_settings(path)
    if workers is not None:
        settings = settings.model_copy(update={"workers": workers})
    apply_settings(settings)
    return settings


def apply_settings(settings: Settings) -> None:
    """Apply the settings' limits on inputs and folder of receipts to this process."""
    files.set_limits(lambda: settings.inputs)
    receipts.set_receipts_folder(lambda: settings.receipts)


def _find_settings(path: Path | None) -> Settings:
    named = path or (Path(os.environ["OPENIIR_SETTINGS"]) if os.environ.get("OPENIIR_SETTINGS") else None)
    usual = (Path("openiir.toml"), settings_folder() / "settings.toml")
    file = named or next((candidate for candidate in usual if candidate.is_file()), None)
    found = Settings() if file is None else validate_record(Settings, files.read_toml(file), str(file))
    trust = found.trust.model_copy(update={"digests": (*found.trust.digests, *read_trusted())})
    return found.model_copy(update={"trust": trust})


@asynccontextmanager
async def connect_endpoints(
    settings: Settings, endpoints: tuple[Endpoint, ...], tell: Callable[[str], None] = lambda text: None
) -> AsyncIterator[Connection]:
    """Connect to endpoints of the settings, with the file in which runs count what they use together."""
    with UsageFile(settings.usage.expanduser()) as usage:
        async with connect(*endpoints, tell=tell, usage=usage) as connection:
            yield connection


def require_endpoints(settings: Settings) -> tuple[Endpoint, ...]:
    """Return the model endpoints; raises InputError with the line to add where there are none."""
    if not settings.endpoint:
        raise InputError(
            "a model is to be asked, but the settings name no endpoint; write into openiir.toml:\n"
            '  endpoint = "http://localhost:11434/v1"    # Ollama, vLLM, llama.cpp, OpenAI, ...'
        )
    return settings.endpoint


def run_with_permissions(
    settings: Settings, trust: bool, work: Callable[[Settings], T]
) -> tuple[Settings, T]:
    """Call `work` with the settings, granting the permissions it lacks if `trust`; returns both.

    With `trust`, missing permissions are shown and granted, and the work is done again; without, Untrusted is
    raised.
    """
    while True:
        try:
            return settings, work(settings)
        except Untrusted as refused:
            if not trust:
                raise
            print_message("\n  ".join(["allowed this once:", *(one.words for one in refused.permissions)]))
            settings = settings.model_copy(update={"trust": settings.trust.with_leave(refused.permissions)})
