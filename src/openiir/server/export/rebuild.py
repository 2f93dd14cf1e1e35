"""What an export holds beside the rows of its record, so that its views can be made again from them."""

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from openiir.core.hashing import canonical, sha256
from openiir.core.storage import RunFile
from openiir.core.storage.content import SECTIONS
from openiir.core.storage.gate import open_file
from openiir.core.storage.rebuilding import UnhashedData, rebuild_run
from openiir.core.storage.tables import part_path
from openiir.core.sums import int_sum
from openiir.server.export.blocks import BESIDE, RECORD, Block, Unpacking, cut_rows, pack_json, read_rows

TABLES = 5_000_000
"""Most bytes of tables that a single page holds."""
_STATE = ("status", "reason", "content", "recipe")
_SHOWN = ("messages", "schema")
"""Parts of a request that the page of its question shows."""
_PASSAGES = "select world, id, text from chunk order by rowid"


def beside_blocks(run: RunFile, most: float) -> Iterator[Block]:
    """Yield what views need besides the hashed rows: passages, step labels, tables up to `most` bytes.

    Of what was sent, all that the page of a question does not show.
    """
    state = [(key, value) for key in _STATE if (value := run.state(key)) is not None]
    sent = [
        (hash, {key: value for key, value in json.loads(body).items() if key not in _SHOWN})
        for hash, body in run.db.execute("select hash, body from prompt order by hash")
    ]
    steps = run.db.execute("select number, label from step order by number").fetchall()
    passages = run.db.execute(_PASSAGES).fetchall()
    for name, rows in (("state", state), ("steps", steps), ("passages", passages), ("sent", sent)):
        yield from (Block("key", key, pack_json(piece)) for key, piece in cut_rows(f"{BESIDE}/{name}", rows))
    files = {
        file: part_path(run.folder, file) for (file,) in run.db.execute("select file from part order by file")
    }
    if int_sum(path.stat().st_size for path in files.values()) <= most:
        for file, path in files.items():
            with open_file(path) as part:
                yield Block("key", f"{BESIDE}/tables/{file}", base64.b64encode(part.read()).decode())


def rebuild_exported(
    blocks: Mapping[str, str], answers: Mapping[str, Any], folder: Path, place: Path
) -> None:
    """Write an exported run back into a folder for reading; `answers` are the data of its pages.

    Raises as `rebuild_run`, and KeyError and ValueError for blocks that are missing or damaged.
    """
    unpacking = Unpacking(place)
    state, steps, passages, sent = (
        list(read_rows(blocks, f"{BESIDE}/{name}", unpacking))
        for name in ("state", "steps", "passages", "sent")
    )
    tables = f"{BESIDE}/tables/"
    parts = {
        key.removeprefix(tables): base64.b64decode(packed, validate=True)
        for key, packed in blocks.items()
        if key.startswith(tables)
    }
    rows = {section: list(read_rows(blocks, f"{RECORD}/{section}", unpacking)) for section in SECTIONS}
    prompts = dict(_join_prompts(rows, dict(sent), answers))
    rebuild_run(folder, rows, UnhashedData(dict(state), steps, passages, prompts, parts))


def _join_prompts(
    rows: Mapping[str, Sequence[Sequence[Any]]], sent: Mapping[str, Any], answers: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    """Yield hash and body of each prompt that the page of a question shows as it was sent."""
    hashes = {tuple(call[:7]): call[8] for call in rows["calls"]}
    asked = {
        seq: (lane, actor, step, json.loads(payload))
        for seq, step, lane, kind, actor, payload in rows["events"]
        if kind == "asked"
    }
    for key, shown in answers.items():
        if "/questions/" in key and not shown["restored"]:
            lane, actor, step, event = asked[int(shown["place"])]
            place = lane, actor, event["question"], event["subject"], step, event["ordinal"]
            for reply in shown["replies"]:
                hash = hashes[*place, reply["attempt"]]
                whole = {"messages": [*shown["messages"], *reply["repair"]], "schema": shown["schema"]}
                for body in (canonical({**sent[hash], **whole}), canonical(sent[hash])):
                    if sha256(body) == hash:
                        yield hash, body
