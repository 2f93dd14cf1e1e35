"""Published data sets, listed and fetched."""

from pathlib import Path

from openiir.kit.items.dataspec import shelf
from openiir.kit.items.published import Published, list_published, published
from openiir.runs.datasets import fetch
from openiir.runs.terminal import say


def print_data_sets() -> None:
    """A paragraph each: what it is, whose, and where; a broken plug-in with its reason."""
    for listed in list_published():
        if listed.published is None:
            say(f"{listed.name}\n  broken: {listed.broken}")
        else:
            one = listed.published
            say(f"{one.name}: {one.title}\n  {one.counts}\n  licence: {one.licence}\n  {_whereabouts(one)}")


def fetch_data_set(name: str, to: Path | None) -> None:
    """Say whose it is and under which terms; then get it."""
    one = published(name)
    say(
        f"{one.title}\n  {one.counts}\n  licence: {one.licence}\n  cite: {one.citation}\n  {one.home}".rstrip()
    )
    place = fetch(one, (to or shelf()).expanduser(), say)
    found = f" where OPENIIR_DATA is {to}" if to else ""
    say(f'{one.name} is in {place}; a study finds it by its name (config.data.name = "{one.name}"){found}')


def _whereabouts(one: Published) -> str:
    if not one.files:
        return "made by code"
    place = shelf() / one.folder
    if not one.missing(place):
        return f"in {place}"
    return f"not in {place}; " + (
        f"`openiir data fetch {one.name}` gets it" if one.downloads else f"{one.by_hand} ({one.home})"
    )
