"""Domains and item maps of UserSimCRS: which slots there are, and which column of a file of items holds each."""

from pathlib import Path
from typing import Any

from openiir.kit.dialogue.formats.yaml_file import Document, Imported, read_yaml
from openiir.plugin import Record

_TITLES = ("title", "name")
_SEPARATOR = "|"


class Domain(Record):
    """Slots, in small letters as attributes of items are."""

    name: str
    slots: tuple[str, ...]
    informable: tuple[str, ...] = ()
    """Slots that users state wishes about."""
    requestable: tuple[str, ...] = ()
    """Slots that users ask about."""


def read_domain(path: Path | str) -> Imported[Domain]:
    """A domain file. Slots are put in small letters. Raises InputError, by key."""
    document = read_yaml(path)
    names = document.get("slot_names")
    slots = tuple(names) if isinstance(names, dict) else document.listed("slot_names", names)
    if not slots or not all(isinstance(slot, str) for slot in slots):
        raise document.wrong("slot_names", names, "a slot or more")
    for slot in slots if isinstance(names, dict) else ():
        if names[slot] is not None:
            document.leave(f"slot_names.{slot}", "what stands beneath a slot has no meaning here")
    kept: dict[str, list[str]] = {}
    for key in ("informable_slots", "requestable_slots"):
        kept[key] = []
        for slot in document.texts(key):
            if slot in slots:
                kept[key].append(slot.lower())
            else:
                document.leave(f"{key}.{slot}", "is not among slot_names")
    return document.finish(
        Domain(
            name=document.text("name", Path(path).stem),
            slots=tuple(slot.lower() for slot in slots),
            informable=tuple(kept["informable_slots"]),
            requestable=tuple(kept["requestable_slots"]),
        )
    )


def item_table(document: Document) -> dict[str, Any] | None:
    """The item map of a configuration as the table `[config.data.items]`; None without a file of items.

    A slot becomes an attribute in small letters, TITLE (or NAME) the title. What cannot be said there is left out.
    """
    file, key = document.text("items"), document.text("id_col", "id")
    if not file:
        return None
    table: dict[str, Any] = {"file": file, "key": key}
    attributes: dict[str, str] = {}
    lists: dict[str, str] = {}
    for column, how in document.table("domain_mapping").items():
        where = f"domain_mapping.{column}"
        if not isinstance(how, dict) or not isinstance(how.get("slot"), str):
            raise document.wrong(where, how, "a table with the slot")
        slot = how["slot"].lower()
        several, sign = bool(how.get("multi-valued")), how.get("delimiter")
        if sign is not None and not isinstance(sign, str):
            raise document.wrong(f"{where}.delimiter", sign, "a text")
        for inner in how:
            if inner not in ("slot", "multi-valued", "delimiter"):
                document.leave(f"{where}.{inner}", "there is no such thing here")
        if slot in _TITLES:
            table["title"] = column
            if several:
                document.leave(f"{where}.multi-valued", "an item has one title")
            continue
        if slot in attributes:
            document.leave(where, f"the slot {slot} is the column {attributes[slot]} already")
            continue
        attributes[slot] = column
        if several:
            lists[slot] = sign or _SEPARATOR
            if not sign:
                document.leave(f"{where}.delimiter", f"is missing; {_SEPARATOR} is taken")
        elif sign:
            document.leave(f"{where}.delimiter", "is not used, since the column is not multi-valued")
    return {**table, "attributes": attributes, **({"lists": lists} if lists else {})}
