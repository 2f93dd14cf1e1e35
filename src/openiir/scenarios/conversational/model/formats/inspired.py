"""Reader of INSPIRED: human dialogues about films, annotated with the recommender's sociable strategies."""

import ast
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from openiir.kit.items.table_files import FileTable, TableFile, read_table
from openiir.plugin import InputError
from openiir.scenarios.conversational.model.dialogue import Act, Dialogue, Participant, Utterance
from openiir.scenarios.conversational.model.formats.files import Converted, FileProblems

_QUOTE = "QUOTATION_MARK"
_NEEDED = ("dialog_id", "speaker", "text")
_ROLES: Mapping[str, Any] = {"SEEKER": "user", "RECOMMENDER": "system"}
_STRATEGIES = (("expert_label", "first_label"), ("second_label",))
"""Names of the columns of the first and second strategy; the published description names the first
differently."""
_LISTS = ("movies", "genres", "people_names")
_DICTS = ("movie_dict", "genre_dict", "actor_dict", "director_dict", "others_dict")
_OUTCOMES = {
    "outcome": ("fine_label", "case"),
    "coarse_outcome": ("coarse_label",),
    "recommended": ("movie_id",),
}
_MISSING = ("", "nan")


def read_inspired(path: Path | str, merge: bool = False) -> Converted:
    """Read the dialogues of an INSPIRED table (TSV).

    Strategies are the acts; the films, genres and people of an utterance are annotations, each a list; the
    dictionaries of the dialogue, its outcome (`outcome`, `coarse_outcome`) and the film recommended
    (`recommended`, a trailer's id) are metadata. With `merge`, what one speaker says in a row is one
    utterance, its texts parted by line breaks. Raises InputError, naming file and row.
    """
    path = Path(path)
    notes = FileProblems()
    by_dialogue: dict[str, list[dict[str, str]]] = {}
    last = ""
    table, rows = _read_rows(path)
    for n, values in enumerate(rows):
        id = values["dialog_id"]
        if not id:
            raise InputError(
                f"{table.where(n)}: dialog_id is empty; give the row its dialogue, or take it out"
            )
        if values["speaker"] not in _ROLES:
            raise InputError(
                f"{table.where(n)}, dialogue {id}: the speaker is {values['speaker']!r}; write SEEKER "
                "or RECOMMENDER"
            )
        if id in by_dialogue and id != last:
            notes.add("dialogues whose rows do not stand together", f"dialogue {id}")
        by_dialogue.setdefault(id, []).append(values)
        last = id
    return Converted(
        tuple(_dialogue(id, said, merge, notes) for id, said in by_dialogue.items()), tuple(notes.values())
    )


def _read_rows(path: Path) -> tuple[FileTable, list[dict[str, str]]]:
    """Read the table and its rows as dictionaries; quotation marks are spelt out as words in the file."""
    table = read_table(TableFile(file=path.name, separator="\t"), path)
    for name in _NEEDED:
        if name not in table.columns:
            raise InputError(
                f"{path} has no column {name!r}; it has {', '.join(table.columns)}: check that it is "
                "INSPIRED's table"
            )
    columns = [
        [text.replace(_QUOTE, '"') for text in table.texts(name).to_pylist()] for name in table.columns
    ]
    return table, [dict(zip(table.columns, values, strict=True)) for values in zip(*columns, strict=True)]


def _dialogue(id: str, rows: list[dict[str, str]], merge: bool, notes: FileProblems) -> Dialogue:
    here = f"dialogue {id}"
    said = [_utterance(row) for row in rows]
    metadata: dict[str, Any] = {
        name: _dictionary([row[name] for row in rows], name, here, notes)
        for name in _DICTS
        if name in rows[0]
    }
    for name, columns in _OUTCOMES.items():
        if column := next((column for column in columns if column in rows[0]), None):
            metadata[name] = _majority([row[column] for row in rows], column, here, notes)
    return Dialogue(
        id=id,
        utterances=tuple(_merge_turns(said) if merge else said),
        system=Participant(id="RECOMMENDER", type="AGENT"),
        user=Participant(id="SEEKER", type="USER"),
        metadata=metadata,
    )


def _utterance(row: Mapping[str, str]) -> Utterance:
    labels = (next((row[column] for column in columns if column in row), "") for columns in _STRATEGIES)
    parts = {name: [part.strip() for part in row.get(name, "").split(";") if part.strip()] for name in _LISTS}
    return Utterance(
        speaker=_ROLES[row["speaker"]],
        text=row["text"],
        acts=tuple(Act(intent=label) for label in labels if label not in _MISSING),
        annotations=tuple((name, found) for name, found in parts.items() if found),
        extra={"text_with_placeholder": row["text_with_placeholder"]}
        if "text_with_placeholder" in row
        else {},
    )


def _majority(values: list[str], column: str, here: str, notes: FileProblems) -> str:
    """Return the most frequent value among the rows of a dialogue."""
    counts = Counter(value for value in values if value not in _MISSING)
    notes.add(f"rows without {column}", here, len(values) - counts.total())
    notes.add(f"dialogues whose rows differ in {column}; what most say was taken", here, int(len(counts) > 1))
    return counts.most_common(1)[0][0] if counts else ""


def _dictionary(values: list[str], column: str, here: str, notes: FileProblems) -> dict[str, Any]:
    """Parse a column that holds a Python dictionary; return {} if it cannot be parsed."""
    text = Counter(values).most_common(1)[0][0]
    try:
        found = ast.literal_eval(text) if text else {}
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        found = None
    if not isinstance(found, dict):
        notes.add(f"dialogues whose {column} cannot be read, left out", here)
        return {}
    return {str(key): value for key, value in found.items()}


def _merge_turns(said: list[Utterance]) -> list[Utterance]:
    """Merge consecutive utterances of one speaker."""
    merged: list[Utterance] = []
    for one in said:
        if not merged or merged[-1].speaker != one.speaker:
            merged.append(one)
            continue
        before = merged[-1]
        extra = {key: f"{before.extra[key]}\n{one.extra[key]}" for key in before.extra}
        both: defaultdict[str, list[Any]] = defaultdict(list)
        for name, found in (*before.annotations, *one.annotations):
            both[name] += found
        update = {
            "text": f"{before.text}\n{one.text}",
            "acts": (*before.acts, *one.acts),
            "annotations": tuple(both.items()),
            "extra": extra,
        }
        merged[-1] = before.model_copy(update=update)
    return merged
