"""Verify, part by part, that a finished run was not changed since it ended."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openiir.core.errors import DamagedRun
from openiir.core.storage import RunFile, check_run, content_hash, read_manifest, rest_digests
from openiir.core.storage.database import translate_errors
from openiir.core.storage.folder import DATABASE, LOCK, STUDY
from openiir.core.storage.integrity import MANIFEST, manifest_hash
from openiir.core.storage.live_file import LIVE
from openiir.runs.run_io import open_checked

APPLICATION_ID = "application_id"
"""SQLite's mark of the program that a file belongs to, in its header; 0 in every `run.db`."""
_OUTSIDE = {
    "after.db": "what was asked or measured later",
    LIVE: "when it ran, for those who watch",
    STUDY: "where the study lies on this machine; leave it out of what you publish",
}


@dataclass(frozen=True)
class Verification:
    """Result of verifying a run: for each part (section, file), whether it was changed."""

    content: dict[str, bool]
    """Sections of the content hash, each with whether it was changed."""
    damage: str | None
    """The first damage found among them, where a part no longer has its own hash; None without damage."""
    rest: dict[str, bool] | None
    """For each table and column outside the content hash, whether it was changed; None for old manifests."""
    outside: dict[str, str]
    """Files that no hash covers, each with a description."""

    def list_changes(self) -> list[str]:
        """List the parts of the run that were changed."""
        parts = [*self.content.items(), *(self.rest or {}).items()]
        return [name for name, changed in parts if changed] or (
            ["what these hashes stand for"] if self.damage else []
        )


def say_verdict(changed: Sequence[str], renewed: str = "the manifest", unchecked: str = "") -> str:
    """Return the first line that `openiir verify` prints.

    `renewed` is what would cover changes that cannot be seen, `unchecked` why an export's views could not be
    made again.
    """
    if changed:
        return f"changed: {', '.join(changed)}"
    unsigned = f"unsigned (whoever changed it could also have renewed {renewed})"
    return (
        f"views not checked: {unchecked}; the rows have their hashes, {unsigned}"
        if unchecked
        else f"intact, {unsigned}"
    )


def verify_run(folder: Path) -> Verification:
    """Compare a finished run with its manifest; InputError for one that cannot be read or goes on."""
    with open_checked(folder, finished=True, check=lambda run: None) as run, translate_errors(run.path):
        sections, found = _digests(read_manifest(folder), "sections"), content_hash(run.db).sections
        content = {name: sections.get(name) != digest for name, digest in found.items()}
        try:
            check_run(run)
            damage = None
        except DamagedRun as error:
            damage = str(error)
        rest = _compare_rest(run)
        if rest is not None:
            rest[MANIFEST] = manifest_hash(folder) != run.state("manifest")
        return Verification(content, damage, rest, _outside(run))


def changed_outside_content(run: RunFile) -> list[str]:
    """List the parts outside the content hash that differ from the manifest, so changed after the end."""
    return [name for name, changed in (_compare_rest(run) or {}).items() if changed]


def _compare_rest(run: RunFile) -> dict[str, bool] | None:
    manifest = read_manifest(run.folder)
    if manifest.get("format") == 1:
        return None
    recorded, found = _digests(manifest, "rest"), rest_digests(run.db)
    rest = {name: recorded.get(name) != found.get(name) for name in sorted(recorded.keys() | found.keys())}
    return rest | {APPLICATION_ID: run.db.execute("pragma application_id").fetchone() != (0,)}


def _digests(manifest: dict[str, Any], key: str) -> dict[str, Any]:
    found = manifest.get(key)
    return found if isinstance(found, dict) else {}


def _outside(run: RunFile) -> dict[str, str]:
    parts = {f"tables/{file}" for (file,) in run.db.execute("select file from part")}
    files = sorted(str(path.relative_to(run.folder)) for path in run.folder.rglob("*") if not path.is_dir())
    return {
        file: _OUTSIDE.get(file, "no part of the run")
        for file in files
        if file not in {DATABASE, MANIFEST, LOCK, *parts}
    }
