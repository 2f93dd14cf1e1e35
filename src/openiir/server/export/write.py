"""Write a run as a page, a folder or a .zip that opens from disk: the web viewer with all its data."""

import zipfile
from collections.abc import Collection, Iterable, Iterator
from html import escape
from importlib.resources import files
from math import inf
from pathlib import Path

from openiir.core.errors import InputError
from openiir.core.files import path_text
from openiir.core.sums import int_sum
from openiir.runs.post_run import scenario_of
from openiir.runs.settings import Settings
from openiir.runs.views.writing import write_beside
from openiir.server.export.answers import bundle_answers, collect_answers
from openiir.server.export.blocks import PAGE, RECORD, Block, block_script, pack_json, pack_text
from openiir.server.export.left_out import Omission, Part
from openiir.server.export.rebuild import TABLES, beside_blocks
from openiir.server.export.record import record_blocks, record_head
from openiir.server.reading import Reader

LARGEST = 15_000_000
"""Bytes of a page, above which browsers take long to open it."""
MADE = (1980, 1, 1, 0, 0, 0)
"""Date of every file in a .zip, so that the same run gives the same file."""
UNPACK = """(async () => {
for (const [id, tag] of [["look", "style"], ["viewer", "script"]]) {
const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (c) => c.charCodeAt(0));
const text = new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
document.body.append(Object.assign(document.createElement(tag), { textContent: await text }));
}
})();"""
"""Unpacks the styles and the viewer, and starts it."""
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"
BESIDE = "default-src 'none'; script-src 'self' file:; style-src 'self' file:; img-src data:"


def write_export(
    folder: Path, out: Path, without: Collection[Part] = (), settings: Settings | None = None
) -> int:
    """Write a run to a page (.html), a .zip, or else a folder; returns the size in bytes.

    Raises InputError where it cannot be written, or where one page would be too large.
    """
    ending = out.suffix.lower()
    if ending and ending not in (".html", ".htm", ".zip"):
        raise InputError(f"--out {out}: end the name in .html or .zip, or name a folder")
    folder = folder.resolve()
    single = ending in (".html", ".htm")
    blocks = list(_collect_blocks(folder, without, settings or Settings(), TABLES if single else inf))
    if single:
        page = _one_page(path_text(folder.name), blocks)
        if len(page) > LARGEST:
            raise InputError(
                f"as one page the run takes {len(page) / 1e6:,.0f} MB, which browsers open slowly; export it "
                f"to a folder: --out {out.with_suffix('')}/"
            )
        with write_beside(out) as partial:
            return partial.write_bytes(page.encode())
    written = dict(_files(path_text(folder.name), blocks))
    if ending == ".zip":
        with write_beside(out) as partial, zipfile.ZipFile(partial, "w") as target:
            for name, content in sorted(written.items()):
                target.writestr(zipfile.ZipInfo(f"{out.stem}/{name}", MADE), content, zipfile.ZIP_DEFLATED)
    else:
        _write_folder(out, written)
    return int_sum(map(len, written.values()))


def _collect_blocks(
    folder: Path, without: Collection[Part], settings: Settings, tables: float
) -> Iterator[Block]:
    """Yield the blocks of an export: what it is checked against, the pages' data, and the record.

    With it goes what views are made from, unless something is left out, with up to `tables` bytes of tables.
    """
    reader = Reader(folder.parent, settings, keeps_views=False)
    id = path_text(folder.name)
    state = reader.describe(id)
    if state["state"] == "damaged":
        raise InputError(f"{folder} cannot be read: {state['reason']}")
    with reader.hold(id) as run:
        left_out = Omission(run, scenario_of(run), without)
        record = [Block("key", key, pack_json(rows)) for key, rows in record_blocks(run, left_out)]
        data = ((key, left_out.clean(value)) for key, value in collect_answers(reader, id, without))
        beside = () if left_out.parts else beside_blocks(run, tables)
        answers = (Block(form, key, pack_json(value)) for form, key, value in bundle_answers(data, id))
        blocks = [*answers, *record, *beside]
        yield Block("key", RECORD, pack_json(record_head(run, left_out, blocks)))
    yield from blocks


def _head(title: str, policy: str) -> str:
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f"<title>{escape(title)} - openiir</title>\n"
    )


def _tag(block: Block, source: str = "") -> str:
    place = f' data-src="{source}"' if source else ""
    text = "" if source else block.packed
    return (
        f'<script type="application/octet-stream" '
        f'data-{block.form}="{escape(block.key)}"{place}>{text}</script>'
    )


def _one_page(title: str, blocks: Iterable[Block]) -> str:
    viewer = files("openiir") / "web" / "still"
    packed = {"look": "viewer.css", "viewer": "viewer.js"}
    tags = [_tag(block) for block in blocks]
    tags += [
        f'<script id="{id}" '
        f'type="application/octet-stream">{pack_text((viewer / name).read_text("utf-8"))}</script>'
        for id, name in packed.items()
    ]
    data = "\n".join(tags)
    return (
        f'{_head(title, POLICY)}</head>\n<body>\n<div id="app"></div>\n{data}\n'
        f"<script>{UNPACK}</script>\n</body>\n</html>\n"
    )


def _files(title: str, blocks: Iterable[Block]) -> Iterator[tuple[str, bytes]]:
    """Yield the files of an exported folder: the page, the viewer, and a script for each block."""
    viewer, tags = files("openiir") / "web" / "still", []
    for number, block in enumerate(blocks, 1):
        source = f"data/{_file_name(block.key)}-{number:04}.js"
        tags.append(_tag(block, source))
        yield source, block_script(block).encode()
    page = (
        f'{_head(title, BESIDE)}<link rel="stylesheet" href="viewer.css">\n</head>\n<body>\n<div '
        'id="app"></div>\n' + "\n".join(tags) + '\n<script src="viewer.js"></script>\n</body>\n</html>\n'
    )
    yield PAGE, page.encode()
    for name in ("viewer.js", "viewer.css"):
        yield name, (viewer / name).read_bytes()


def _file_name(key: str) -> str:
    """Name a data file after the last words of its key."""
    words = "".join(letter if letter.isascii() and letter.isalnum() else " " for letter in key).split()
    return "-".join(words[-2:]) or "data"


def _write_folder(out: Path, written: dict[str, bytes]) -> None:
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(f"--out {out}: the folder is not empty; name another one")
    with write_beside(out) as partial:
        for name, content in written.items():
            (partial / name).parent.mkdir(parents=True, exist_ok=True)
            (partial / name).write_bytes(content)
