"""Reader and writer of DialogueKit's JSON in the variants of UserSimCRS, IARD, MovieBot and CRSArena-Dial.

What is written reads back as it was, and a file that is read and written is the same JSON again: what we
would write otherwise is kept under the key `as written`. A part that was changed since is
written our way.
"""

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, count
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator

from openiir.plugin import InputError, read_json
from openiir.scenarios.conversational.model.dialogue import Dialogue, Participant, Utterance
from openiir.scenarios.conversational.model.formats.files import parse_as
from openiir.scenarios.conversational.model.formats.needs import read_need, written_need

_ID, _ID_AS_EXPORTED = "conversation_id", "conversation ID"
_NEED = "information_need"
AS_WRITTEN = "as written"
"""Key of `Utterance.extra` and `Dialogue.metadata` that holds a file's original spelling."""
_HALF_A_PAIR = re.compile("[\ud800-\udfff]")
_FARTHEST = 1_000_000
"""Largest character offset of a slot value that a record accepts."""
_SLOTS = ("slot_values", "slots", "annotations")
_UTTERANCE = ("participant", "utterance", "dialogue_acts", "items", "annotations", "utterance_feedback")


class _Said(BaseModel):
    participant: Annotated[
        Literal["USER", "AGENT", "SYSTEM"], BeforeValidator(lambda name: str(name).upper())
    ]
    utterance: str | None


class _Document(BaseModel):
    """The parts that a dialogue cannot do without."""

    conversation: list[_Said]


def read_dialogues(path: Path | str) -> tuple[Dialogue, ...]:
    """Read the dialogues of a DialogueKit file (`.json` or `.json.gz`), in file order.

    Ids are made unique: a second `x` is `x#2`, and a dialogue without one is called by its place, from 1.
    Raises InputError, naming file and dialogue, for what is no dialogue at all; what is merely odd is kept as
    written.
    """
    path = Path(path)
    return dialogues_of(parse_as(list[Any], read_json(path), str(path)), str(path))


def dialogues_of(documents: Iterable[Any], where: str) -> tuple[Dialogue, ...]:
    """Read dialogues from parsed DialogueKit JSON; `where` names the source in error messages."""
    read: dict[str, Dialogue] = {}
    for n, document in enumerate(documents, 1):
        place = f"{where}, dialogue {n}"
        parse_as(_Document, document, place)
        given = _id(document) or str(n)
        id = next(id for id in chain([given], (f"{given}#{times}" for times in count(2))) if id not in read)
        read[id] = _dialogue(document, id, place)
    return tuple(read.values())


def write_dialogues(dialogues: Sequence[Dialogue], path: Path | str) -> None:
    """Write dialogues as DialogueKit JSON, compressed if the name ends in .gz; errors as `dialogue_json`."""
    path = Path(path)
    data = dialogue_json(dialogues).encode()
    path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)


def dialogue_json(dialogues: Sequence[Dialogue]) -> str:
    """Format dialogues as DialogueKit JSON, with the need in the metadata; UserSimCRS reads it too.

    Raises InputError for two dialogues of one id, since whoever keys scores by id would lose one, and for
    keys of `extra` or `metadata` that the format has a meaning of its own for.
    """
    counts = Counter(dialogue.id for dialogue in dialogues)
    if twice := next((id for id, count in counts.items() if count > 1), None):
        raise InputError(f"two dialogues have the id {twice!r}; give each its own before they are written")
    documents = [dialogue_object(dialogue) for dialogue in dialogues]
    lines = [json.dumps(document, ensure_ascii=False) for document in documents]
    # Half a surrogate pair, which JSON may hold, can only be written as an escape.
    if any(_HALF_A_PAIR.search(line) for line in lines):
        lines = [json.dumps(document) for document in documents]
    return "[\n" + ",\n".join(lines) + "\n]\n" if lines else "[]\n"


def without_original_spelling(dialogue: Dialogue) -> Dialogue:
    """Remove the record of a file's original JSON spelling, so that DialogueKit can read the whole dialogue.

    Unknown keys of the dialogue itself and parts that could not be understood are lost.
    """
    said = (one.model_copy(update={"extra": _without(one.extra)}) for one in dialogue.utterances)
    return dialogue.model_copy(update={"utterances": tuple(said), "metadata": _without(dialogue.metadata)})


def _without(extra: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in extra.items() if key != AS_WRITTEN}


def dialogue_object(dialogue: Dialogue) -> dict[str, Any]:
    """Return a dialogue as a DialogueKit JSON object."""
    kept = dialogue.metadata.get(AS_WRITTEN, {})
    _not_reserved(dialogue.metadata, (_NEED,), f"the metadata of dialogue {dialogue.id!r}")
    head = restore(_head(dialogue, kept.get("id", _ID)), kept.get("keys", {}))
    utterances = []
    for n, utterance in enumerate(dialogue.utterances, 1):
        _not_reserved(utterance.extra, _UTTERANCE, f"the extra of utterance {n} of dialogue {dialogue.id!r}")
        utterances.append(restore(_utterance_as_ours(utterance), utterance.extra.get(AS_WRITTEN, {})))
    return {**head, "conversation": utterances}


def _not_reserved(extra: Mapping[str, Any], reserved: Sequence[str], where: str) -> None:
    for key in reserved:
        if key in extra:
            raise InputError(
                f"{where} has the key {key!r}, which the format has a place for; use the record's "
                "field for it"
            )


def _id(document: Mapping[str, Any]) -> str:
    for key in (_ID, _ID_AS_EXPORTED):
        if isinstance(found := document.get(key), str | int) and not isinstance(found, bool):
            return str(found)
    return ""


def _dialogue(document: Mapping[str, Any], id: str, where: str) -> Dialogue:
    said = document["conversation"]
    given = document.get("metadata")
    given = given if isinstance(given, dict) else {}
    metadata = {key: value for key, value in given.items() if key not in (_NEED, AS_WRITTEN)}
    dialogue = Dialogue(
        id=id,
        utterances=tuple(_utterance(one, f"{where}, utterance {n}") for n, one in enumerate(said, 1)),
        system=_participant(document.get("agent"), "AGENT"),
        user=_participant(document.get("user"), "USER"),
        need=read_need(given.get(_NEED)),
        metadata=metadata,
    )
    id_key = _ID if _ID in document or _ID_AS_EXPORTED not in document else _ID_AS_EXPORTED
    theirs = {key: value for key, value in document.items() if key != "conversation"}
    odd = spelling_differences(_head(dialogue, id_key), theirs)
    kept = {**({} if id_key == _ID else {"id": id_key}), **({"keys": odd} if odd else {})}
    return dialogue.model_copy(update={"metadata": {**metadata, AS_WRITTEN: kept}}) if kept else dialogue


def _head(dialogue: Dialogue, id_key: str) -> dict[str, Any]:
    """Build a dialogue's JSON in openiir's spelling, without its utterances."""
    sides = {"agent": dialogue.system, "user": dialogue.user}
    need = {} if dialogue.need is None else {_NEED: written_need(dialogue.need)}
    metadata = {**_without(dialogue.metadata), **need}
    return {
        id_key: dialogue.id,
        **{key: {"id": who.id, "type": who.type} for key, who in sides.items() if who is not None},
        **({"metadata": metadata} if metadata else {}),
    }


def _participant(value: Any, role: Any) -> Participant | None:
    if isinstance(value, str):
        return Participant(id=value, type=role)
    if isinstance(value, dict) and isinstance(value.get("id"), str | int):
        type = value.get("type")
        return Participant(id=str(value["id"]), type=type if type in ("USER", "AGENT") else role)
    return None


def _utterance(found: Mapping[str, Any], where: str) -> Utterance:
    feedback, items = found.get("utterance_feedback"), found.get("items")
    extra = {key: value for key, value in found.items() if key not in (*_UTTERANCE, AS_WRITTEN)}
    named = isinstance(items, list) and all(isinstance(id, str) for id in items)
    values = {
        "speaker": "user" if found["participant"].upper() == "USER" else "system",
        "text": found["utterance"] or "",
        "acts": tuple(_acts(found.get("dialogue_acts"))),
        "items": tuple(items or ()) if named else (),
        "annotations": tuple(_annotations(found.get("annotations"))),
        "feedback": feedback if isinstance(feedback, int) and not isinstance(feedback, bool) else None,
        "extra": extra,
    }
    utterance: Utterance = parse_as(Utterance, values, where)
    odd = spelling_differences(_utterance_as_ours(utterance), found)
    return utterance.model_copy(update={"extra": {**extra, AS_WRITTEN: odd}}) if odd else utterance


def _utterance_as_ours(utterance: Utterance) -> dict[str, Any]:
    participant = "USER" if utterance.speaker == "user" else "AGENT"
    slots = ([[s.slot, s.value, s.start, s.end] for s in act.slots] for act in utterance.acts)
    acts = [
        {"intent": act.intent or None, "slot_values": own}
        for act, own in zip(utterance.acts, slots, strict=True)
    ]
    optional = {
        "dialogue_acts": acts or None,
        "items": list(utterance.items) or None,
        "annotations": [list(pair) for pair in utterance.annotations] or None,
        "utterance_feedback": utterance.feedback,
    }
    return {
        "participant": participant,
        "utterance": utterance.text,
        **{key: value for key, value in optional.items() if value is not None},
        **_without(utterance.extra),
    }


def _acts(value: Any) -> Iterable[dict[str, Any]]:
    for act in value if isinstance(value, list) else ():
        if isinstance(act, dict):
            intent = act.get("intent")
            slots = next((act[key] for key in _SLOTS if isinstance(act.get(key), list)), ())
            yield {
                "intent": "" if intent is None else str(intent),
                "slots": tuple(slot for one in slots for slot in _slots(one)),
            }


def _slots(value: Any) -> Iterable[dict[str, Any]]:
    """Read slots from a list (slot, value, start, end) or an object; a list of values gives one slot per
    value."""
    if isinstance(value, dict):
        value = [value.get(key) for key in ("slot", "value", "start", "end")]
    if not (isinstance(value, list) and value and isinstance(value[0], str)):
        return
    slot, found, start, end = (*value, None, None, None, None)[:4]
    for one in found if isinstance(found, list) else [found]:
        text = None if one is None else str(one)
        yield {"slot": slot, "value": text, "start": _place(start), "end": _place(end)}


def _place(value: Any) -> int | None:
    return (
        value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _FARTHEST else None
    )


def _annotations(value: Any) -> Iterable[tuple[str, Any]]:
    for one in value if isinstance(value, list) else ():
        if isinstance(one, dict) and isinstance(one.get("key"), str):
            yield one["key"], one.get("value")
        elif isinstance(one, list) and len(one) == 2 and isinstance(one[0], str):
            yield one[0], one[1]


def spelling_differences(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> dict[str, Any]:
    """Return for each key whose JSON differs openiir's and the file's value; missing values are left out."""
    return {
        key: {name: whole[key] for name, whole in (("ours", ours), ("theirs", theirs)) if key in whole}
        for key in dict.fromkeys([*theirs, *ours])
        if (key in ours) != (key in theirs) or not same(ours[key], theirs[key])
    }


def restore(ours: Mapping[str, Any], kept: Mapping[str, Any]) -> dict[str, Any]:
    """Put the file's original spelling back into each key whose value has not changed since."""
    unchanged = {
        key: pair
        for key, pair in kept.items()
        if (key in ours) == ("ours" in pair) and (key not in ours or same(ours[key], pair["ours"]))
    }
    theirs = {key: pair["theirs"] for key, pair in unchanged.items() if "theirs" in pair}
    return {key: value for key, value in ours.items() if key in theirs or key not in unchanged} | theirs


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same JSON; 1, 1.0 and true are different."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
