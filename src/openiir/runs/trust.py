"""Permissions: list what a study does on this machine beyond reading its files, and check what is allowed."""

import json
import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal
from urllib.parse import SplitResult, urlsplit

from pydantic import BaseModel, field_validator

from openiir.core.callables import CodeName, trusting
from openiir.core.errors import InputError
from openiir.core.hashing import canonical, fingerprint
from openiir.core.llm.openai_client import is_loopback
from openiir.core.records import Record
from openiir.core.study_paths import study_path
from openiir.core.systems import Exchange, RetrieverSpec, SystemSpec, read_systems
from openiir.core.systems.secrets import variables
from openiir.core.toml import inline_files, read_toml, validate_record
from openiir.core.world import WorldSpec, name_worlds
from openiir.plugin import Scenario
from openiir.runs.study_files import hash_folder, hash_named_files

_Kind = Literal["command", "callable", "variable", "host"]
_PORTS = {"http": 80, "ws": 80, "https": 443, "wss": 443}


@dataclass(frozen=True)
class Permission:
    """A permission that a study needs: to run a command, import code, read a variable or contact a host."""

    kind: _Kind
    name: str
    """Name by which the settings allow it."""
    words: str
    digest: str
    """Hash of what it does and of the study's files: a change makes a grant void."""
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
            f"{target} needs your permission for what a study may not do on this machine by "
            f"itself:\n{lines}\n"
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
    """Hosts, such as "crs.example.org" or "crs.example.org:8443";
    of this machine by port, such as "localhost:8000"."""
    digests: tuple[str, ...] = ()
    """Single permissions by digest, as `openiir trust` remembers them."""

    @field_validator("hosts")
    @classmethod
    def _ports_named(cls, hosts: tuple[str, ...]) -> tuple[str, ...]:
        found = tuple(_with_port(urlsplit(f"//{host}"), None) for host in hosts)
        if "localhost" in found:
            raise ValueError('a service of this machine is allowed by its port, such as "localhost:8000"')
        return found

    def allows(self, one: Permission) -> bool:
        """Whether this table allows a permission."""
        named: Mapping[_Kind, Sequence[str]] = {
            "command": [shlex.join(_words(command)) for command in self.commands],
            "callable": self.callables,
            "variable": self.variables,
            "host": self.hosts,
        }
        names = (one.name, one.name.rpartition(":")[0]) if one.kind == "host" else (one.name,)
        return one.digest in self.digests or any(name in named[one.kind] for name in names)

    def check(self, found: Iterable[Permission], target: str, sets: Sequence[str] = ()) -> None:
        """Raise Untrusted for permissions that are not allowed; `target` names the study in the message."""
        if lacking := [one for one in found if not (one.packaged or self.allows(one))]:
            raise Untrusted(lacking, target, sets)

    def with_leave(self, found: Iterable[Permission]) -> "Trust":
        """Return a copy of this table that also allows these permissions."""
        return self.model_copy(update={"digests": (*self.digests, *(one.digest for one in found))})


def allow_imports(found: Iterable[Permission]) -> AbstractContextManager[None]:
    """Allow imports of the code that these permissions name, and no other, within a `with` block."""
    return trusting(*(one.imports for one in found if one.imports))


def list_permissions(
    scenario: Scenario,
    configs: Iterable[Any],
    systems: Mapping[str, SystemSpec],
    folder: Path,
    *,
    live: bool = True,
) -> tuple[Permission, ...]:
    """List the permissions that a study in `folder` needs.

    They are for the Python code that its configurations name by the type CodeName and, where its declared
    systems (by table, as `declared_systems` gives them) may be asked (`live`), for what these need.
    """
    found = [one for config in configs for one in _code_permissions(config, "config", "", folder)]
    found += _permissions_of_systems(systems, folder) if live else ()
    packaged = _packaged_digests(scenario) if found else ()
    return _bind([replace(one, packaged=one.digest in packaged) for one in found], folder)


def declared_systems(
    systems: Mapping[str, SystemSpec], worlds: Mapping[str, WorldSpec]
) -> dict[str, SystemSpec]:
    """Return what a study may ask, by table: its systems and its worlds' retrievers."""
    found = {f"system.{label}": spec for label, spec in systems.items()}
    for name, world in worlds.items():
        if world.retriever is not None:
            found["world.retriever" if name == "main" else f"world.{name}.retriever"] = world.retriever
    return found


def read_declared_systems(file: Path) -> dict[str, SystemSpec]:
    """Read what a file declares: `[system.NAME]` tables and worlds' retrievers, or one system; InputError."""
    content = read_toml(file)
    try:
        tables = name_worlds(content.get("world", {}))
    except ValueError as error:
        raise InputError(f"{file} world: {error}") from None
    worlds = {
        name: WorldSpec(retriever=validate_record(RetrieverSpec, table["retriever"], f"{file} retriever"))
        for name, table in tables.items()
        if "retriever" in table
    }
    return declared_systems(read_systems(file) if "system" in content or not worlds else {}, worlds)


def system_permissions(systems: Mapping[str, SystemSpec], folder: Path) -> tuple[Permission, ...]:
    """List the permissions for asking systems, by table; `folder` holds the file that declares them."""
    return _bind(_permissions_of_systems(systems, folder), folder)


def _bind(found: Iterable[Permission], folder: Path) -> tuple[Permission, ...]:
    """Bind permissions to all files of the folder, where it is a study's own and has a study.toml."""
    distinct = tuple(dict.fromkeys(found))
    if all(one.packaged for one in distinct) or not (folder / "study.toml").is_file():
        return distinct
    files = hash_folder(folder)
    return tuple(
        one if one.packaged else replace(one, digest=fingerprint([one.digest, files])) for one in distinct
    )


def _permissions_of_systems(systems: Mapping[str, SystemSpec], folder: Path) -> Iterator[Permission]:
    for table, spec in systems.items():
        yield from _permissions_of_system(table, spec, folder)


def _packaged_digests(scenario: Scenario) -> set[str]:
    """Compute the digests of what the type's default configuration and reference study need."""
    folder, found = scenario.reference or Path(os.devnull), list[Permission]()
    with suppress(ValueError):  # some keys may have no default
        found += _code_permissions(scenario.Config.model_validate({}), "config", "", folder)
    with suppress(ValueError, InputError):  # without a reference study, or with one that is wrong
        values = read_toml(folder / "study.toml")
        config = scenario.Config.model_validate(inline_files(values.get("config", {}), folder))
        found += _code_permissions(config, "config", "", folder)
        systems = {name: SystemSpec.model_validate(table) for name, table in values.get("system", {}).items()}
        worlds = name_worlds(values.get("world", {})).items()
        declared = declared_systems(
            systems, {name: WorldSpec.model_validate(table) for name, table in worlds}
        )
        found += _permissions_of_systems(declared, folder)
    return {one.digest for one in found}


def _code_permissions(value: Any, key: str, table: str, folder: Path) -> Iterator[Permission]:
    """Yield permissions for code named in a configuration; `table` is the innermost record as JSON."""
    if isinstance(value, CodeName):
        words = f"imports and calls the Python code {_printable(value.imports)} ({_printable(key)})"
        digest = _digest("callable", value.imports, table, hash_named_files(_module(value.imports), folder))
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


def _permissions_of_system(table: str, spec: SystemSpec, folder: Path) -> Iterator[Permission]:
    where, whole = f"[{_printable(table)}]", canonical(spec.model_dump(mode="json"))
    if spec.callable is not None:
        asked = f", with {_printable(canonical(spec.request))}" if spec.request is not None else ""
        words = f"imports and calls the Python code {_printable(spec.callable)}{asked} ({where})"
        named = hash_named_files(_module(spec.callable), folder)
        digest = _digest("callable", spec.callable, whole, named)
        yield Permission("callable", spec.callable, words, digest, spec.callable)
    if spec.command is not None:
        command, at = shlex.join(spec.command), f", in {_printable(spec.folder)}" if spec.folder else ""
        started = hash_named_files(spec.command, Path(spec.folder or "."), siblings=False)
        named = hash_named_files(spec.command, folder) | {f"./{name}": one for name, one in started.items()}
        words = f"starts the command {_printable(command)}{at} ({where})"
        yield Permission("command", command, words, _digest("command", command, whole, named))
        for name in spec.variables:
            words = f"hands the environment variable {name} to that command ({where})"
            yield Permission("variable", name, words, _digest("variable", name, whole, named))
    parts: list[SystemSpec | Exchange] = [spec, *(part for part in (spec.open, spec.close) if part)]
    for origin in dict.fromkeys(
        urlsplit(part.url)._replace(path="", query="", fragment="") for part in parts if part.url
    ):
        name, address = _with_port(origin, _PORTS[origin.scheme]), _printable(origin.geturl())
        which = "a service of this machine" if is_loopback(origin.hostname or "") else "another machine"
        words = f"talks with {address}, {which} ({where})"
        yield Permission("host", name, words, _digest("host", name, whole, {}))
        for header, text in spec.headers.items():
            for variable in variables(text):
                words = f"sends the environment variable {variable} to {address} ({where}, header {header})"
                yield Permission("variable", variable, words, _digest("variable", variable, whole + name, {}))


def _with_port(address: SplitResult, port: int | None) -> str:
    """Return an address as `host:port` (`port` where it names none), with one name for this machine."""
    host = (address.hostname or "").lower()
    found = address.port or port
    return ("localhost" if is_loopback(host) else host) + (f":{found}" if found else "")


def _import_place(imports: str, folder: Path) -> str:
    """Return the file or module that a code name allows to import; InputError outside the study."""
    if ":" in imports:
        return imports
    place = study_path(imports, folder, "the code")
    return str(place) if place.is_file() else imports


def _digest(kind: _Kind, name: str, how: str, files: Mapping[str, str]) -> str:
    return fingerprint([kind, name, how, dict(files)])


def _module(name: str) -> tuple[str, ...]:
    """Return the file, or the outermost module of a callable, that a code name refers to."""
    return (name.partition(":")[0].partition(".")[0],) if ":" in name else (name,)


def _printable(text: str) -> str:
    """Escape line breaks, control characters and direction marks, so that no text passes for another."""
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
    """Read the permissions that `openiir trust` stored, as texts by digest; InputError if damaged."""
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
