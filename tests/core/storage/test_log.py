"""Parts of the log that are read without the rest are those of the whole."""

from pathlib import Path

import pytest

from openiir.core.storage import Log, RunFile

GOLDEN = Path(__file__).parents[2] / "golden"


@pytest.mark.parametrize("name", ["generations", "panel-delphi", "feed"])
def test_names_of_personas_are_read_alone(name: str) -> None:
    with RunFile.open(GOLDEN / name) as run:
        for log in (Log(run), Log(run, until=2)):
            personas = log.personas
            assert log.persona_names() == [(one.id, one.name) for one in personas]
            assert [log.persona(one.id) for one in personas] == list(personas)
            assert log.persona("nobody") is None


def test_fields_of_events_are_read_alone() -> None:
    kind = "multi_generational.born"
    with RunFile.open(GOLDEN / "generations") as run:
        for log in (Log(run), Log(run, until=2)):
            events = [one.payload for one in log.events(kind)]
            read = list(log.fields(kind, "side", "agents", "lacking"))
            assert events and read == [(one["side"], one["agents"], None) for one in events]
