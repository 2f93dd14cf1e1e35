"""Published data sets, listed and fetched."""

from pathlib import Path

from openiir.kit.items.dataspec import shelf
from openiir.kit.items.published import Published, list_published, published
from openiir.runs.datasets import fetch


def print_data_sets() -> None:
    """A paragraph each: what it is, whose, and where; a broken plug-in with its reason."""
    for listed in list_published():
        if listed.published is None:
            print(f"{listed.name}\n  broken: {listed.broken}")
        else:
            one = listed.published
            print(f"{one.name}: {one.title}\n  {one.counts}\n  licence: {one.licence}\n  {_whereabouts(one)}")


def fetch_data_set(name: str, to: Path | None) -> None:
    """Say whose it is and under which terms; then get it."""
    one = published(name)
    print(f"{one.title}\n  {one.counts}\n  licence: {one.licence}\n  cite: {one.citation}\n  {one.home}".rstrip(), flush=True)
    place = fetch(one, (to or shelf()).expanduser(), lambda line: print(line, flush=True))
    found = f" where OPENIIR_DATA is {to}" if to else ""
    print(f'{one.name} is in {place}; a study finds it by its name (config.data.name = "{one.name}"){found}')


def _whereabouts(one: Published) -> str:
    if not one.files:
        return "made by code"
    place = shelf() / one.folder
    if not one.missing(place):
        return f"in {place}"
    return f"not in {place}; " + (f"`openiir data fetch {one.name}` gets it" if one.downloads else f"{one.by_hand} ({one.home})")
