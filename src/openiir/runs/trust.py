"""Permissions: list what a study does on this machine beyond reading its files, and check what is allowed."""

import hashlib
import json
import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel

from openiir.core.callables import CodeName, trusting
from openiir.core.errors import InputError
from openiir.core.hashing import canonical, fingerprint
from openiir.core.llm.openai_client import is_loopback
from openiir.core.records import Record
from openiir.core.study_paths import stays_in, study_path
from openiir.core.systems import Exchange, SystemSpec, ready
from openiir.core.systems.secrets import variables
from openiir.plugin import Scenario
from openiir.runs.toml import inline_files, read_toml

_Kind = Literal["command", "callable", "variable", "host"]


@dataclass(frozen=True)
class Permission:
    """A permission that a study needs: to run a command, import code, read a variable or contact a host."""

    kind: _Kind
    name: str
    """Name by which the settings allow it."""
    words: str
    digest: str
    """Hash of what it does and of the files in the study's folder that it names: a change makes a grant void."""
    imports: str = ""
    """The callable or file of code that it allows to be imported."""
    packaged: bool = False
    """Whether it comes with the type itself, so that it is allowed without asking."""


class Untrusted(InputError):
    """Error for a study that lacks permissions; `permissions` lists them."""

    def __init__(self, lacking: Sequence[Permission], target: str, sets: Sequence[str] = ()) -> None:
        self.permissions = tuple(lacking)
        words = [word for assignment in sets for word in ("--set", assignment)]
        lines = "\n".join(f"  {one.words}" for one in lacking)
        super().__init__(
            f"{target} needs your permission for what a study may not do on this machine by itself:\n{lines}\n"
            f"if you trust it, `openiir trust {shlex.join([target, *words])}` allows this until it changes, "
            "and --trust allows it this once"
        )


class Trust(Record):
    """The `[trust]` table of the settings: what any study may do on this machine."""

    commands: tuple[str, ...] = ()
    """Commands with all their arguments, such as "python -u bot.py"."""
    callables: tuple[str, ...] = ()
    """Python callables, such as "my_package.rankers:diverse"."""
    variables: tuple[str, ...] = ()
    """Environment variables, by name; they go only to hosts that are allowed too."""
    hosts: tuple[str, ...] = ()
    """Hosts beyond this machine, such as "crs.example.org"."""
    digests: tuple[str, ...] = ()
    """Single permissions by digest, as `openiir trust` remembers them."""

    def allows(self, one: Permission) -> bool:
        """Whether this table allows a permission."""
        named: Mapping[_Kind, Sequence[str]] = {
            "command": [shlex.join(_words(command)) for command in self.commands],
            "callable": self.callables,
            "variable": self.variables,
            "host": [host.lower() for host in self.hosts],
        }
        return one.digest in self.digests or one.name in named[one.kind]

    def check(self, found: Iterable[Permission], target: str, sets: Sequence[str] = ()) -> None:
        """Raise Untrusted for permissions that are not allowed; `target` names the study in the message."""
        if lacking := [one for one in found if not (one.packaged or self.allows(one))]:
            raise Untrusted(lacking, target, sets)

    def with_leave(self, found: Iterable[Permission]) -> "Trust":
        """Return a copy of this table with these permissions added."""
        return self.model_copy(update={"digests": (*self.digests, *(one.digest for one in found))})


def allow_imports(found: Iterable[Permission]) -> AbstractContextManager[None]:
    """Allow imports of the code that these permissions name, and no other, within a `with` block."""
    return trusting(*(one.imports for one in found if one.imports))


def permissions_of(
    scenario: Scenario,
    configs: Iterable[Any],
    systems: Mapping[str, SystemSpec],
    folder: Path,
    *,
    live: bool = True,
) -> tuple[Permission, ...]:
    """List the permissions that a study in `folder` needs.

    They are for the Python code that its configurations name by the type CodeName and, where its declared systems may
    be asked (`live`), for what these need.
    """
    found = [one for config in configs for one in _code_permissions(config, "config", "", folder)]
    found += system_permissions(systems, folder) if live else ()
    packaged = _packaged_digests(scenario) if found else ()
    return tuple(replace(one, packaged=one.digest in packaged) for one in dict.fromkeys(found))


def system_permissions(systems: Mapping[str, SystemSpec], folder: Path) -> tuple[Permission, ...]:
    """List the permissions that declared systems need to be asked; `folder` holds the file that declares them."""
    return tuple(
        dict.fromkeys(
            one for label, spec in systems.items() for one in _permissions_of_system(label, spec, folder)
        )
    )


def _packaged_digests(scenario: Scenario) -> set[str]:
    """Compute the digests of all that the type's default configuration or reference study needs, which came with it."""
    folder, found = scenario.reference or Path(os.devnull), list[Permission]()
    with suppress(ValueError):  # some keys may have no default
        found += _code_permissions(scenario.Config.model_validate({}), "config", "", folder)
    with suppress(ValueError, InputError):  # without a reference study, or with one that is wrong
        values = read_toml(folder / "study.toml")
        found += _code_permissions(
            scenario.Config.model_validate(inline_files(values.get("config", {}), folder)),
            "config",
            "",
            folder,
        )
        systems = {
            label: SystemSpec.model_validate(table) for label, table in values.get("system", {}).items()
        }
        found += system_permissions(systems, folder)
    return {one.digest for one in found}


def _code_permissions(value: Any, key: str, table: str, folder: Path) -> Iterator[Permission]:
    """Yield the permissions for code named anywhere in a configuration; `table` is the innermost record as JSON."""
    if isinstance(value, CodeName):
        words = f"imports and calls the Python code {_printable(value.imports)} ({_printable(key)})"
        digest = _digest("callable", value.imports, table, _hash_named_files(_module(value.imports), folder))
        yield Permission("callable", value.imports, words, digest, _import_place(value.imports, folder))
    elif isinstance(value, BaseModel):
        inner = "" if key == "config" else value.model_dump_json()
        for name in type(value).model_fields:
            yield from _code_permissions(getattr(value, name), f"{key}.{name}", inner, folder)
    elif isinstance(value, Mapping):
        for name, one in value.items():
            yield from _code_permissions(one, f"{key}.{name}", table, folder)
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _code_permissions(one, key, table, folder)


def _permissions_of_system(label: str, spec: SystemSpec, folder: Path) -> Iterator[Permission]:
    where = f"[system.{_printable(label)}]"
    parts: list[SystemSpec | Exchange] = [spec, *(part for part in (spec.open, spec.close) if part)]
    if spec.callable is not None:
        given = [part.request for part in parts]
        asked = f", with {_printable(canonical(spec.request))}" if spec.request is not None else ""
        words = f"imports and calls the Python code {_printable(spec.callable)}{asked} ({where})"
        digest = _digest(
            "callable", spec.callable, canonical(given), _hash_named_files(_module(spec.callable), folder)
        )
        yield Permission("callable", spec.callable, words, digest, spec.callable)
    if spec.command is not None:
        command, at = shlex.join(spec.command), f", in {_printable(spec.folder)}" if spec.folder else ""
        started = Path(spec.folder or ".")
        named = _hash_named_files(spec.command, folder) | {
            word: _sha256(started / word)
            for word in spec.command
            if os.path.isfile(started / word)  # noqa: PTH113
        }
        digest = _digest("command", command, spec.folder or "", named)
        yield Permission(
            "command", command, f"starts the command {_printable(command)}{at} ({where})", digest
        )
        for name in spec.variables:
            words = f"hands the environment variable {name} to that command ({where})"
            yield Permission("variable", name, words, _digest("variable", name, command, named))
    for origin in dict.fromkeys(
        urlsplit(part.url)._replace(path="", query="", fragment="") for part in parts if part.url
    ):
        host, address = (origin.hostname or "").lower(), _printable(origin.geturl())
        if not is_loopback(host):
            words = f"talks with {address}, which is not this machine ({where})"
            yield Permission("host", host, words, _digest("host", origin.geturl().lower(), "", {}))
        for header, text in spec.headers.items():
            if is_loopback(host) and text in ready.headers():
                continue
            for name in variables(text):
                words = f"sends the environment variable {name} to {address} ({where}, header {header})"
                yield Permission(
                    "variable", name, words, _digest("variable", name, origin.geturl().lower(), {})
                )


def _import_place(imports: str, folder: Path) -> str:
    """Return the file or module that a code name allows to import; raises InputError for a file outside the study."""
    if ":" in imports:
        return imports
    place = study_path(imports, folder, "the code")
    return str(place) if place.is_file() else imports


def _hash_named_files(words: Iterable[str], folder: Path) -> dict[str, str]:
    """Hash the files that words name in the study's folder: files, folders with all below, Python modules.

    Where one of them is Python, all other Python files of the folder are included, since it may import them.
    """
    found: set[Path] = set()
    for place in (folder / f"{word}{ending}" for word in words for ending in ("", ".py") if word):
        # Unlike Path.exists this is False for what no path can be, such as a program in an argument.
        if os.path.exists(place) and stays_in(place, folder):  # noqa: PTH110
            found |= set(place.rglob("*")) if place.is_dir() else {place}
    if any(file.suffix == ".py" for file in found):
        found |= set(folder.rglob("*.py"))
    return {
        str(file.relative_to(folder)): _sha256(file)
        for file in sorted(found)
        if file.is_file()
        and not any(part == "__pycache__" or part[0] == "." for part in file.relative_to(folder).parts)
    }


def _sha256(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise InputError(
            f"{file}, which the study names, cannot be read: {error.strerror or error}"
        ) from None


def _digest(kind: _Kind, name: str, how: str, files: Mapping[str, str]) -> str:
    return fingerprint([kind, name, how, dict(files)])


def _module(name: str) -> tuple[str, ...]:
    """Return the file, or the outermost module of a callable, that a code name refers to."""
    return (name.partition(":")[0].partition(".")[0],) if ":" in name else (name,)


def _printable(text: str) -> str:
    """Escape line breaks, control characters and direction marks, so that a text cannot be mistaken for another."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return [command]


def settings_folder() -> Path:
    """Return the user's own settings folder."""
    return Path(os.environ.get("XDG_CONFIG_HOME") or "~/.config").expanduser() / "openiir"


def read_trusted() -> dict[str, str]:
    """Read the permissions given by `openiir trust`, in words by digest; raises InputError for a damaged file."""
    file = settings_folder() / "trusted.json"
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        return {str(digest): str(words) for digest, words in found.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, AttributeError) as error:
        raise InputError(
            f"{file} cannot be read ({error}); remove it, and trust your studies again"
        ) from None


def add_trusted(found: Iterable[Permission]) -> Path:
    """Store permissions in the user's settings folder; returns the file."""
    file = settings_folder() / "trusted.json"
    kept = read_trusted() | {one.digest: one.words for one in found}
    partial = file.with_name(f"trusted.json.{os.getpid()}.part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        partial.replace(file)
    except OSError as error:
        raise InputError(
            f"{file} cannot be written ({error.strerror}); allow by [trust] in the settings instead"
        ) from None
    return file
