"""All that a run started from, as dotted keys: the study with its personas and the passages of its worlds."""

from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import Any

from openiir.core.errors import OpeniirError, UnknownName
from openiir.core.hashing import fingerprint
from openiir.core.records import Persona
from openiir.core.storage import RunFile
from openiir.runs.changes import flatten_tables
from openiir.runs.prepare import SourceOptions, gather_declared
from openiir.runs.settings import Settings
from openiir.runs.study import load_study
from openiir.runs.types import find_type


def flatten_study(
    study: Mapping[str, Any], personas: str, passages: Iterable[tuple[str, str, str]]
) -> dict[str, Any]:
    """Flatten a study to dotted keys; personas and each world's passages become a count and a hash.

    `personas` are given as these, by `count_personas`; `passages` are the world, id and hash of each chunk at
    the start.
    """
    setting = flatten_tables(_flatten_lists(study))
    setting["personas"] = personas
    worlds: dict[str, list[Any]] = {}
    for world, id, sha256 in sorted(passages):
        worlds.setdefault(world, []).append([id, sha256])
    for name, entries in sorted(worlds.items()):
        setting[f"world.{name}.passages"] = _contents(entries)
    return setting


def count_personas(personas: Iterable[Persona]) -> str:
    """Return the number of personas and a hash of them."""
    return _contents([persona.model_dump(mode="json") for persona in personas])


@lru_cache(maxsize=4)
def _count_documents(documents: tuple[str, ...]) -> str:
    """Count personas as stored; the runs of a sweep have the same ones."""
    return count_personas(map(Persona.model_validate_json, documents))


def read_setting(run: RunFile) -> dict[str, Any]:
    """Read the flattened study with which a run started."""
    passages = run.db.execute("select world, id, sha256 from chunk where step = 0")
    personas = tuple(text for (text,) in run.db.execute("select document from persona order by position"))
    return flatten_study(run.study(), _count_documents(personas), map(tuple, passages))


@cache
def reference_setting(type: str) -> dict[str, Any] | str:
    """Return a type's flattened reference study, or why it is not known."""
    try:
        if (folder := find_type(type).reference) is None:
            return "unknown: the type comes without one"
        loaded, settings = load_study(str(folder / "study.toml")), Settings()
        found = (gather_declared(name, loaded, settings, SourceOptions()) for name in loaded.study.world)
        passages = [(one.world, one.id, one.sha256) for chunks in found for one in chunks]
        return flatten_study(loaded.document(), count_personas(loaded.personas), passages)
    except UnknownName:
        return "unknown: the type is not installed"
    except (OpeniirError, OSError, ValueError):
        return "unknown: it cannot be loaded"


def differing_keys(run: RunFile) -> dict[str, Any]:
    """Return the keys that differ from the type's reference study, and those that [[change]] sets.

    Keys of [config] go without `config.`; a key that only the reference study has is None. Where that study
    is not known, `reference study` says why, and no key is taken for changed.
    """
    study, found = run.study(), dict[str, Any]()
    reference = reference_setting(study["type"])
    if isinstance(reference, str):
        found["reference study"] = reference
    else:
        setting = read_setting(run)
        absent = {key: None for key in reference if key not in setting and not key.startswith("config.")}
        for key, value in (setting | absent).items():
            named = key.startswith("change.") or key in ("name", "type")
            if not named and value != reference.get(key):
                found[key.removeprefix("config.")] = value
    for change in study.get("change", ()):
        found |= {f"{key} from step {change['step']}": value for key, value in change["set"].items()}
    return found


def _contents(entries: list[Any]) -> str:
    return f"{len(entries)} ({fingerprint(entries)[:8]})"


def _flatten_lists(value: Any) -> Any:
    """Turn lists of tables into tables with positions as keys; drop empty tables and lists."""
    if isinstance(value, list) and value and all(isinstance(v, dict) for v in value):
        value = dict(enumerate(value))
    if not isinstance(value, dict):
        return value
    return {k: _flatten_lists(v) for k, v in value.items() if v not in ({}, [])}
