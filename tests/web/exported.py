"""An export of the made-up run, as one file and as a folder, in the layout that the viewer reads."""

import base64
import gzip
import html
import json
from pathlib import Path
from typing import Any

from tests.web.served import BUILT
from tests.web.toy import NAMES, Toy

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,"><title>toy</title>{style}</head><body><div id="app"></div>
{blocks}
{script}</body></html>
"""


def data(toy: Toy) -> dict[str, Any]:
    """Everything an export holds, by key."""
    keys = [
        "runs/toy",
        "runs/toy/questions",
        "runs/toy/questions/ask:1:bo",
        "runs/toy/chunks/library/c01",
        "runs/toy/chunks/-/c01",
    ]
    keys += [f"runs/toy/agents/{who}" for who in NAMES]
    found = {key: toy.answer(key) for key in keys}
    found["runs"] = {"runs": [toy.card("toy")], "next": None}
    for name, (_, view) in toy.views.items():
        after: str | None = "0"
        while after is not None and not isinstance(view, str):
            key = f"runs/toy/surfaces/{name}?after={after}"
            found[key] = toy.answer(key)
            after = found[key]["next"]
    return found


def one_file(toy: Toy, file: Path) -> None:
    blocks = [
        f'<script type="application/octet-stream" data-key="{html.escape(key)}">'
        f"{base64.b64encode(gzip.compress(json.dumps(value).encode())).decode()}</script>"
        for key, value in data(toy).items()
    ]
    script = (BUILT / "still/viewer.js").read_text().replace("</script", "<\\/script")
    style = (BUILT / "still/viewer.css").read_text()
    file.write_text(
        PAGE.format(
            style=f"<style>{style}</style>", blocks="\n".join(blocks), script=f"<script>{script}</script>"
        )
    )


def folder(toy: Toy, place: Path) -> None:
    (place / "data").mkdir(parents=True)
    blocks = []
    for n, (key, value) in enumerate(data(toy).items()):
        (place / f"data/{n:04}.js").write_text(f"openiirGive({json.dumps(key)}, {json.dumps(value)})\n")
        blocks.append(
            f'<script type="application/octet-stream" data-key="{html.escape(key)}" data-src="data/{n:04}.js"></script>'
        )
    for name in ("viewer.js", "viewer.css"):
        (place / name).write_bytes((BUILT / "still" / name).read_bytes())
    style, script = '<link rel="stylesheet" href="viewer.css">', '<script src="viewer.js"></script>'
    (place / "index.html").write_text(PAGE.format(style=style, blocks="\n".join(blocks), script=script))
