"""Download published data sets, check their hashes and unpack them, completely or not at all."""

import hashlib
import http.client
import shutil
import stat
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from openiir.core.errors import EndpointError, InputError
from openiir.kit.items.published import Download, Published

PATIENCE = 60.0
"""Seconds without a received byte after which a download is given up."""
_BLOCK = 1 << 16


def download_data_set(one: Published, folder: Path, tell: Callable[[str], None]) -> Path:
    """Download the files of a data set to its folder below `folder`, which is returned; skip those there.

    What has arrived of a file stays beside that place when a download ends early, and the next call goes on
    from there. Raises InputError for what cannot be fetched, and EndpointError where the publisher's server
    fails or sends something else than what is known.
    """
    if not one.files:
        raise InputError(f"{one.name} is made by code when a study asks for it; there is nothing to fetch")
    place = folder / one.folder
    if not one.missing(place):
        tell(f"{one.name} is in {place} already")
        return place
    if not one.downloads:
        raise InputError(
            f"{one.name} cannot be fetched: no address with a known hash; {one.by_hand} ({one.home}) "
            f"into {place}, which needs {', '.join(one.files)}"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        fresh = folder / f".{one.folder}.new"
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir()
    except OSError as error:
        raise InputError(
            f"{folder} cannot be written to: {error.strerror}; name another folder with --to"
        ) from None
    try:
        parts = []
        for download in one.downloads:
            tell(f"fetching {download.url} ({download.size:,} bytes)")
            parts.append(_download(download, folder / f".{one.folder}-{_name(download)}.part", place))
        for download, part in zip(one.downloads, parts, strict=True):
            _place_download(download, part, fresh)
        if missing := one.missing(fresh):
            raise EndpointError(
                f"{one.name}: what arrived holds no {missing[0]}; get it by hand from {one.home}"
            )
        _move_into_place(fresh, place)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return place


def _download(download: Download, part: Path, place: Path) -> Path:
    """Download a file to `part`, resuming a partial download, and check its size and hash."""
    have = part.stat().st_size if part.exists() else 0
    if have < download.size:
        try:
            _resume_download(download, part, have)
        except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
            reason = getattr(error, "reason", None) or error
            raise EndpointError(
                f"{download.url} could not be fetched: {reason}; try again later, the same command goes on "
                "where this one "
                f"ended. Without a network, get the file elsewhere and put what it holds into {place}"
            ) from None
    arrived = part.stat().st_size
    if arrived < download.size:
        raise EndpointError(
            f"{download.url} ended after {arrived:,} of {download.size:,} bytes; the same command goes on"
        )
    found = hashlib.sha256(part.read_bytes()).hexdigest()
    if arrived > download.size or found != download.sha256:
        part.unlink()
        raise EndpointError(
            f"{download.url} is not the file it should be ({arrived:,} bytes, sha256 {found[:12]}..., where "
            f"{download.size:,} and {download.sha256[:12]}... are known) and was thrown away; try again, and "
            f"if it stays so the publisher has changed it: get it by hand into {place}"
        )
    return part


def _resume_download(download: Download, part: Path, have: int) -> None:
    asked = urllib.request.Request(download.url, headers={"Range": f"bytes={have}-"} if have else {})
    with urllib.request.urlopen(asked, timeout=PATIENCE) as reply:
        resumed = reply.status == http.client.PARTIAL_CONTENT
        have = have if resumed else 0
        with part.open("ab" if resumed else "wb") as file:
            while have <= download.size and (block := reply.read(_BLOCK)):
                have += file.write(block)


def _place_download(download: Download, part: Path, fresh: Path) -> None:
    if not download.unpack:
        part.replace(fresh / _name(download))
        return
    try:
        with zipfile.ZipFile(part) as archive:
            for member in archive.infolist():
                _unpack(archive, member, fresh)
    except zipfile.BadZipFile as error:
        raise EndpointError(f"{download.url} is no ZIP archive ({error})") from None
    part.unlink()


def _unpack(archive: zipfile.ZipFile, member: zipfile.ZipInfo, fresh: Path) -> None:
    """Extract a file below `fresh` without the archive's top folder; refuse a path that leads out."""
    path = PurePosixPath(member.filename.replace("\\", "/"))
    if (
        path.is_absolute()
        or ".." in path.parts
        or ":" in member.filename
        or stat.S_ISLNK(member.external_attr >> 16)
    ):
        raise EndpointError(
            f"the archive holds {member.filename!r}, which leads out of its folder; nothing was unpacked"
        )
    inner = PurePosixPath(*path.parts[1:])
    if member.is_dir() or not inner.parts:
        return
    target = fresh / inner
    target.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(member) as source, target.open("wb") as file:
        shutil.copyfileobj(source, file)


def _move_into_place(fresh: Path, place: Path) -> None:
    """Move a data set's files to their final folder, replacing older copies and keeping all other files."""
    if not place.exists():
        fresh.rename(place)
        return
    for file in sorted(path for path in fresh.rglob("*") if path.is_file()):
        target = place / file.relative_to(fresh)
        target.parent.mkdir(parents=True, exist_ok=True)
        file.replace(target)


def _name(download: Download) -> str:
    return PurePosixPath(download.url).name
