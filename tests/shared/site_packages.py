"""Lay packages out as an installer leaves them, without one."""

from collections.abc import Mapping
from pathlib import Path


def lay_out(
    site: Path, name: str, files: Mapping[str, str], entry_points: Mapping[str, str], version: str = "0.1.0"
) -> None:
    """Write the modules of a distribution, by path, and beside them its metadata with types of study."""
    info = site / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    lines = "".join(f"{key} = {value}\n" for key, value in entry_points.items())
    (info / "entry_points.txt").write_text(f"[openiir.types]\n{lines}")
    for path, text in files.items():
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_text(text, encoding="utf-8")
