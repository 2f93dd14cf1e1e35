"""Lay packages out as an installer leaves them, without one."""

import tomllib
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


def install(package: Path, site: Path) -> Path:
    """Install a package without a build back-end, as its pyproject.toml declares it; returns the site."""
    project = tomllib.loads((package / "pyproject.toml").read_text("utf-8"))["project"]
    source = package / "src"
    files = {
        p.relative_to(source): p.read_text("utf-8")
        for p in source.rglob("*")
        if p.is_file() and p.suffix != ".pyc"
    }
    lay_out(site, project["name"], files, project["entry-points"]["openiir.types"])
    return site
