"""A configuration of UserSimCRS as a study of ours, with a report of what could not be carried over."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomli_w
from pydantic import ValidationError

from openiir.kit.dialogue.formats import (
    Document,
    Imported,
    item_table,
    read_domain,
    read_interaction_model,
    read_yaml,
)
from openiir.plugin import InputError, read_text
from openiir.scenarios.conversational.config import DECLARED, ConversationalConfig

_READY: Mapping[str, str] = {"moviebotagent": "moviebot", "ievalmagent": "crs-arena"}
"""Agent classes, in small letters, and the ready declaration of the protocol that each speaks."""
_BY_MODEL: Mapping[str, tuple[str, ...]] = {
    "single": ("conversational.speak",),
    "dual": ("conversational.stop", "conversational.go-on"),
}
"""What users who are prompted are asked, which UserSimCRS always asks a model."""
_SCALE = (0.5, 5.0, 0.5)
"""The scale that UserSimCRS takes all ratings to have."""
_NOT_HERE: Mapping[str, str] = {
    "debug": "a run's log says all that happened",
    "simulator_id": "users are called by the number of their need",
    "collection_db_path": "items are read from their file, not from a database",
    "nlu": "utterances are understood by the catalogue, or by a model as [answers] says",
    "nlg": "wordings are our own, or a model's as [answers] says",
}


def study_of(path: Path | str, root: Path | str | None = None) -> Imported[dict[str, Any]]:
    """The study that a configuration of UserSimCRS means; it can be written as TOML by `study_toml`.

    `root` is the folder that the configuration's paths start from, which UserSimCRS has to be run in; left out, it is
    the first folder above the configuration in which its domain file lies. Files are named as they are there, so the
    study belongs into that folder. What cannot be carried over is left out and said. Raises InputError for a
    configuration that no study can be made of, and for files that it names and that are broken.
    """
    document = read_yaml(path)
    folder = Path(root) if root is not None else _root_of(document)
    if document.get("simulator_class_path") is None and document.get("agent_class_path") is None:
        raise InputError(
            f"{document.path} names neither a simulator nor an agent, so it is no configuration of a simulation; "
            "name the file that is given to run_simulation"
        )
    for key, why in _NOT_HERE.items():
        if document.get(key) is not None:
            document.leave(key, why)
    if document.get("fix_random_seed") is False:
        document.leave("fix_random_seed", "a study always has its seed; it is 0, change it to draw anew")
    name = _slug(document.text("output_name", Path(path).stem))
    config: dict[str, Any] = {}
    study: dict[str, Any] = {"type": "conversational", "name": name, "seed": 0, "config": config}
    if (count := document.get("num_simulated_dialogues")) is not None:
        config["dialogues"] = count
    _data(document, config, folder)
    _needs(document, config, folder)
    study |= _simulator(document, config, folder)
    study |= _system(document, config)
    try:
        ConversationalConfig.model_validate(config)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise InputError(
            f"{document.path}: what it says of config.{key} cannot be: {first['msg']}; mend it there"
        ) from None
    return document.finish(study)


def study_toml(found: Imported[dict[str, Any]]) -> str:
    """The study as TOML, with what was not carried over as comments at its top."""
    comments = [f"# {line}" for line in found.report().splitlines()]
    return "\n".join([*(["# Not carried over:", *comments] if comments else []), tomli_w.dumps(found.value)])


def _root_of(document: Document) -> Path:
    domain = document.text("domain")
    above = document.path.resolve().parents
    return next((folder for folder in above if domain and (folder / domain).is_file()), document.path.parent)


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9_-]+", "-", name.lower()).strip("-_")[:40] or "imported"


def _data(document: Document, config: dict[str, Any], folder: Path) -> None:
    items = item_table(document)
    collection, ratings = document.text("collection_name"), document.text("ratings")
    if items is None:
        document.leave("items", "is missing; the study has the synthetic collection")
        for key in ("ratings", "domain_mapping", "historical_ratings_ratio"):
            if document.get(key) is not None:
                document.leave(key, "means nothing without items")
        return
    config["data"] = {"name": _slug(collection or Path(items["file"]).stem), "items": items}
    if ratings:
        config["data"]["ratings"] = _ratings(document, ratings, items["key"], folder)
    share = document.get("historical_ratings_ratio")
    if isinstance(share, int | float) and 0 < share < 1:
        config["held_out"] = round(1 - share, 6)
    elif share is not None:
        document.leave(
            "historical_ratings_ratio",
            f"is {share!r}; a share between 0 and 1 is needed for ratings to be held out",
        )


def _ratings(document: Document, file: str, key: str, folder: Path) -> dict[str, Any]:
    """A file whose first three columns are user, item and rating, whatever they are called."""
    columns = ["userId", key, "rating"]
    if (folder / file).is_file():
        header = read_text(folder / file).partition("\n")[0].strip().split(",")
        if len(header) < 3:
            raise InputError(
                f"{folder / file} has {len(header)} columns; user, item and rating are needed, in this order"
            )
        columns = header[:3]
    else:
        document.leave(
            "ratings",
            f"there is no {folder / file} to look at; its columns are taken to be {', '.join(columns)}",
        )
    return {
        "file": file,
        **dict(zip(("user", "item", "rating"), columns, strict=True)),
        "scale": list(_SCALE),
    }


def _needs(document: Document, config: dict[str, Any], folder: Path) -> None:
    file = document.text("domain")
    if not file:
        return
    if not (folder / file).is_file():
        document.leave("domain", f"there is no {folder / file}; needs are about all attributes")
        return
    domain = read_domain(folder / file)
    for one in domain.left_out:
        document.leave(f"domain.{one.key}", one.why)
    known = config.get("data", {}).get("items", {}).get("attributes", {})
    kind = next((kind for kind in ("movie", "book", "game") if kind in domain.value.name.lower()), None)
    if kind and "data" in config:
        config["data"]["kind"] = kind
    needs = {}
    for key, slots in (("informable", domain.value.informable), ("requestable", domain.value.requestable)):
        for slot in slots:
            if slot not in known:
                document.leave(
                    f"domain.{key}_slots.{slot}", "no column of the items holds it as an attribute"
                )
        if kept := [slot for slot in slots if slot in known]:
            needs[key] = kept
    if needs:
        config["needs"] = needs


def _simulator(document: Document, config: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The simulator; gives what the study says of a model, where it needs one."""
    path = document.text("simulator_class_path")
    kind = next(
        (kind for kind in ("agenda", "single", "dual") if kind in path.rpartition(".")[2].lower()), None
    )
    intents, dialogues = document.text("intents"), document.text("dialogues")
    if kind is None:
        document.leave(
            "simulator_class_path",
            f"no simulator here stands for {path or 'nothing'}; the study has the agenda user",
        )
    spec = {"name": kind or "agenda", "by": kind or "agenda"}
    if dialogues and spec["by"] == "agenda":
        spec["dialogues"] = dialogues
    elif dialogues:
        document.leave("dialogues", "only the agenda user learns from dialogues")
    config["simulators"] = [spec]
    if intents:
        _intents(document, intents, folder)
    if spec["by"] == "agenda":
        return {}
    return {
        "answers": {"kind": dict.fromkeys(_BY_MODEL[spec["by"]], "model")},
        "model": _model(document, folder),
    }


def _intents(document: Document, file: str, folder: Path) -> None:
    if not (folder / file).is_file():
        document.leave("intents", f"there is no {folder / file}; the agenda user has our own intents")
        return
    document.leave("intents", "the agenda user has our own intents; those of dialogues are mapped to them")
    for one in read_interaction_model(folder / file).left_out:
        document.leave(f"intents.{one.key}", one.why)


def _system(document: Document, config: dict[str, Any]) -> dict[str, Any]:
    """The system under test, declared by its protocol."""
    path, url = document.text("agent_class_path"), document.text("agent_uri")
    label = _slug(document.text("agent_id", "system"))
    ready = _READY.get(path.rpartition(".")[2].lower())
    if ready is None or not url:
        why = (
            "agent_uri is missing"
            if ready
            else f"no ready declaration speaks the protocol of {path or 'nothing'}"
        )
        document.leave(
            "agent_class_path",
            f"{why}; the study has the reference systems until you declare it under [system.{label}]",
        )
        return {}
    config["systems"] = [{"name": label, "by": f"{DECLARED}{label}"}]
    return {"system": {label: {"ready": ready, "url": url}}}


def _model(document: Document, folder: Path) -> dict[str, Any]:
    """The model of an LLM interface, with what is a setting left out."""
    interface = document.table("llm_interface")
    arguments = interface.get("llm_interface_args")
    file = arguments.get("configuration_path") if isinstance(arguments, dict) else None
    if not isinstance(file, str) or not (folder / file).is_file():
        document.leave(
            "llm_interface",
            f"there is no {file or 'configuration_path'} in {folder}; name the model under [model]",
        )
        return {"name": "your-model"}
    found = model_of(folder / file)
    for one in found.left_out:
        document.leave(f"llm_interface.{one.key}", one.why)
    return found.value


def model_of(path: Path | str) -> Imported[dict[str, Any]]:
    """The `[model]` table of a file that configures an LLM interface (Ollama or OpenAI). Raises InputError."""
    document = read_yaml(path)
    name = document.text("model")
    if not name:
        raise InputError(f"{document.path} names no model; name the file that is given as configuration_path")
    for key, why in (
        ("host", "an endpoint is a setting: write [endpoint] url"),
        ("api_key", "keys are never written down: settings name the variable that holds one"),
        ("stream", "replies are read whole"),
        ("format", "replies are asked for by their schema"),
    ):
        if document.get(key) is not None:
            document.leave(key, why)
    options = dict(document.table("options"))
    model: dict[str, Any] = {"name": name}
    for key in ("temperature", "top_p", "seed", "max_tokens"):
        if key in options:
            model[key] = options.pop(key)
    for key in options:
        document.leave(f"options.{key}", "write it under [model.extra] if the endpoint knows it")
    return document.finish(model)
