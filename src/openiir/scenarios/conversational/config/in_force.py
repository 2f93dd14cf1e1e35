"""The configuration in force at a step of a run, read from its log."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from openiir.plugin import Log
from openiir.scenarios.conversational.config import ConversationalConfig


def config_at(log: Log, step: int) -> ConversationalConfig:
    """Return the study's configuration with all changes up to a step, this one included."""
    values = deepcopy(log.study["config"])
    for event in log.events("changed", until=step):
        for key, value in event.payload.items():
            if not key.startswith("answers"):
                _replace(values, key.removeprefix("config.").split("."), value)
    return ConversationalConfig.model_validate(values)


def config_of(study: Mapping[str, Any]) -> ConversationalConfig:
    """Return the configuration that a run began with."""
    return ConversationalConfig.model_validate(study["config"])


def _replace(values: Any, path: list[str], value: Any) -> None:
    """Set a dotted key; a part of digits is a place in a list."""
    for part in path[:-1]:
        values = values[int(part)] if isinstance(values, list) else values.setdefault(part, {})
    if isinstance(values, list):
        values[int(path[-1])] = value
    else:
        values[path[-1]] = value
