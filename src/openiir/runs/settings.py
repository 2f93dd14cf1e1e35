"""Settings: what may not change a result. Never hashed, never exported."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import Field

from openiir.core import files
from openiir.core.errors import InputError
from openiir.core.llm import Endpoint, Endpoints, Prices
from openiir.core.records import Record
from openiir.runs.terminal import note
from openiir.runs.toml import fit
from openiir.runs.trust import Trust, Untrusted, read_trusted, settings_folder

T = TypeVar("T")


class RunLimits(Record):
    """Limits at which a run stops cleanly; raise one and `openiir resume` goes on."""

    calls: int | None = Field(None, ge=0)
    tokens: int | None = Field(None, ge=0)
    """Prompt and reply tokens together."""
    money: float | None = Field(None, ge=0)
    """In the currency of the endpoint's prices."""


class SearchService(Record):
    """Where web searches go: a SearXNG instance, or Tavily."""

    service: Literal["searxng", "tavily"] = "searxng"
    url: str = ""
    """The SearXNG instance, such as http://localhost:8080; Tavily has its own."""
    key_env: str | None = None
    """The environment variable that holds Tavily's key."""


class SystemSettings(Record):
    """How a declared system under test is used."""

    width: int = Field(32, ge=1)
    """Sessions with it that dialogues in lanes hold open at the same time."""


class Settings(Record):
    """`openiir.toml`."""

    endpoint: Endpoints = ()
    """The OpenAI-compatible endpoint: a URL, or a table with url, key_env, width, ...; or a list of those."""
    embeddings: Endpoints = ()
    """Where embeddings come from, if not from `endpoint`."""
    limits: RunLimits = RunLimits()
    inputs: files.InputLimits = Field(default_factory=files.limits)
    """How large the files may be that are read; those in force in this process where they are left out."""
    search: SearchService | None = None
    systems: dict[str, SystemSettings] = {}
    """By the name that studies declare them under."""
    human: Literal["terminal", "file"] = "terminal"
    """Where people are asked: at this terminal, or by files in the run's `inbox/`."""
    runs: Path = Path("runs")
    """Where runs go that are given no --out."""
    library: Path = Path("~/.local/share/openiir/personas")
    """The folder of personas that all studies share."""
    workers: int = Field(1, ge=1)
    """Threads that work on a crowd, and processes that live dialogues in which nobody outside is asked."""
    block: int = Field(4096, ge=1)
    """Users of a crowd that are worked on at a time."""
    checkpoint_every: int | None = Field(None, ge=0)
    """Steps from one checkpoint of a crowd to the next; 0 for none. Left out, whenever 10 seconds have gone by."""
    trust: Trust = Trust()
    """What any study may do on this machine, beside what `openiir trust STUDY` allows."""
    allow_private_addresses: bool = False
    """Whether a world's URLs may lead to private or loopback addresses."""

    @property
    def prices(self) -> Prices:
        """What replies cost."""
        return self.endpoint[0].prices if self.endpoint else Prices()


def load_settings(path: Path | None = None, workers: int | None = None) -> Settings:
    """Load the settings of `path`, else of $OPENIIR_SETTINGS, ./openiir.toml, ~/.config/openiir/settings.toml.

    Their limits on inputs hold in this process from now on; the settings file itself is read under the defaults.
    `workers` replaces theirs.
    """
    files.set_limits(files.InputLimits)
    settings = _find_settings(path)
    if workers is not None:
        settings = settings.model_copy(update={"workers": workers})
    files.set_limits(lambda: settings.inputs)
    return settings


def _find_settings(path: Path | None) -> Settings:
    named = path or (Path(os.environ["OPENIIR_SETTINGS"]) if os.environ.get("OPENIIR_SETTINGS") else None)
    usual = (Path("openiir.toml"), settings_folder() / "settings.toml")
    file = named or next((candidate for candidate in usual if candidate.is_file()), None)
    found = Settings() if file is None else fit(Settings, files.read_toml(file), str(file))
    trust = found.trust.model_copy(update={"digests": (*found.trust.digests, *read_trusted())})
    return found.model_copy(update={"trust": trust})


def endpoints_of(settings: Settings) -> tuple[Endpoint, ...]:
    """Return the model endpoints; raises InputError with the line to add where there are none."""
    if not settings.endpoint:
        raise InputError(
            "a model is to be asked, but the settings name no endpoint; write into openiir.toml:\n"
            '  endpoint = "http://localhost:11434/v1"    # Ollama, vLLM, llama.cpp, OpenAI, ...'
        )
    return settings.endpoint


def with_leave(settings: Settings, trust: bool, work: Callable[[Settings], T]) -> tuple[Settings, T]:
    """Do the work, perhaps with more permissions; returns the settings it was done under and its result.

    With `trust`, what the work lacks leave for is shown, given, and the work done again; without, Untrusted is raised.
    """
    while True:
        try:
            return settings, work(settings)
        except Untrusted as refused:
            if not trust:
                raise
            note("\n  ".join(["allowed this once:", *(one.words for one in refused.permissions)]))
            settings = settings.model_copy(update={"trust": settings.trust.with_leave(refused.permissions)})
