"""Read tables of short texts that stand in the code as lines of one string."""

import re

from openiir.plugin.definitions import Definitions


def read_text_table(table: str) -> dict[str, tuple[str, ...]]:
    """Read lines `name | text | text` as the texts of each name; an indented line continues the one above."""
    lines = re.sub(r"\n +", " ", table.strip()).splitlines()
    return {name: tuple(texts) for name, *texts in (line.split(" | ") for line in lines)}


def read_texts(table: str) -> dict[str, str]:
    """Read lines `name | text`, such as the help of each view."""
    return {name: text for name, (text,) in read_text_table(table).items()}


def read_definitions(table: str) -> Definitions:
    """Read lines `name | label | definition` as the definitions of measures."""
    return {name: (label, words) for name, (label, words) in read_text_table(table).items()}
