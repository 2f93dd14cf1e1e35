"""Every key of a configuration has a help text, and replies' schemas have none of these."""

import json
from typing import Any

import pytest

from openiir.core.records import ConfigTable, Record
from openiir.runs.config_keys import list_keys
from openiir.runs.types import find_type

TYPES = ("panel", "curated_feed", "recommender", "conversational", "social_media")


@pytest.mark.parametrize("type", TYPES)
def test_every_key_has_a_help_text_and_so_has_its_schema(type):
    scenario = find_type(type)
    for table in (scenario.Config, scenario.Measuring):
        silent = [key.name for key in list_keys(table) if not key.help.endswith((".", ")"))]
        assert not silent, f"write a docstring under each of these fields: {', '.join(silent)}"
        schema = table.model_json_schema()
        for part in (schema, *schema.get("$defs", {}).values()):
            bare = [name for name, one in part.get("properties", {}).items() if not _is_told(one)]
            assert not bare, f"{part.get('title')}: {', '.join(bare)}"


def _is_told(field: dict[str, Any]) -> bool:
    return bool(field.get("description")) or "$ref" in field


def test_keys_of_nested_tables_are_dotted():
    keys = {key.name: key for key in list_keys(find_type("panel").Config)}
    assert keys["mu"].default == "0.3" and keys["mu"].help.startswith("How far a hearer moves")
    assert keys["topic"].default is None
    assert json.loads(str(find_type("panel").Config.model_fields["passages"].default)) == 6
    keys = {key.name: key for key in list_keys(find_type("recommender").Config)}
    assert "page.most" in keys and "systems[].by" in keys
    assert keys["page"].help == "Configuration of the recommender's pages."


def test_docstrings_of_replies_stay_out_of_their_schemas():
    class Reply(Record):
        """A reply."""

        score: int
        """Words for the reader of the code."""

    class Table(ConfigTable):
        """A table."""

        score: int
        """Words for the writer of a study."""

    assert "description" not in Reply.model_json_schema()["properties"]["score"]
    assert Table.model_json_schema()["properties"]["score"]["description"].startswith("Words for the writer")
