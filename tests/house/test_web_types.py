"""The TypeScript types of the web app name the same fields as the Python records that they are read from."""

import json
import re
from pathlib import Path

import pytest

from openiir.core.records import Record
from openiir.plugin import forms, graph_forms
from openiir.runs.catalogue import RunCard
from openiir.runs.views.paging import Page

TYPES = Path(__file__).parents[2] / "frontend/src/types.ts"
RECORDS = {
    **{
        name: one
        for module in (forms, graph_forms)
        for name, one in vars(module).items()
        if isinstance(one, type) and issubclass(one, Record) and one.__module__ == module.__name__
    },
    "RunCard": RunCard,
}
INLINE = {"Mark", "Bins", "LinkKind", "Graph"}
"""Records written in line where they are used, and the argument graph, which is sent as a Network."""
pytestmark = pytest.mark.skipif(not TYPES.is_file(), reason="no sources of the web app beside this install")


def _interfaces() -> dict[str, set[str]]:
    """Fields of each interface; nested types are passed over."""
    found = {}
    for name, body in re.findall(
        r"export interface (\w+)[^{]*\{(.*?)\}\n", TYPES.read_text("utf-8"), re.DOTALL
    ):
        flat = re.sub(r"/\*.*?\*/|\{[^{}]*\}", "", body, flags=re.DOTALL)
        found[name] = set(re.findall(r"(?:^|[;\n])\s*(\w+)\??:", flat))
    return found


@pytest.mark.parametrize("name", sorted(RECORDS.keys() - INLINE))
def test_a_type_of_the_web_app_names_the_fields_of_its_record(name: str) -> None:
    assert _interfaces()[name] == RECORDS[name].model_fields.keys()


def test_the_type_of_a_page_names_the_keys_of_its_json() -> None:
    page = Page(form="report", title="", total=1, step=1, text="{}")
    assert _interfaces()["Page"] == json.loads(page.write_json()).keys()
