"""Search tools of members: the retrieval mode, and the policy, that a study and its changes give them."""

from collections.abc import Collection, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, get_args

from openiir.core.agents.knowledge import HitPolicy, Tools
from openiir.core.errors import InputError, UnknownName
from openiir.core.records import Persona, RetrievalMode
from openiir.core.toml import validate_record
from openiir.core.world import Hit, World
from openiir.kit.reranking import POLICIES, HitReranker, Policy

PERSONA = "persona"
"""First part of dotted keys that set a member's tools; a type's own key of that name is `config.persona`."""
EVERYBODY = "*"
_BY_SOURCE = ("quota", "provenance", "down_rank")
"""Policies that treat passages by their sources, which the key `sources` names."""

DeclaredTools = Mapping[str, Mapping[str, Any]]
"""Tools by persona id, or `*` for everybody else: `retrieval`, a mode, and `policy`, a table."""


def change_tools(tools: DeclaredTools, flat: Mapping[str, Any], where: str) -> DeclaredTools:
    """Set keys such as `persona.ID.retrieval`; raises InputError for unknown keys and values."""
    changed = {id: dict(table) for id, table in tools.items()}
    for key, value in flat.items():
        _, id, name = (*key.split(".", 2), "", "")[:3]
        if not id or name not in ("retrieval", "policy"):
            raise InputError(
                f"{where}: {key!r} cannot change; persona.ID.retrieval and persona.ID.policy can, with "
                f"{EVERYBODY} as ID for everybody"
            )
        if name == "policy":
            _read_policy(value, f"{where} {key}")
        elif value not in get_args(RetrievalMode):
            raise InputError(
                f"{where} {key}: {UnknownName('retrieval mode', str(value), get_args(RetrievalMode))}"
            )
        changed.setdefault(id, {})[name] = value
    return changed


def check_tools(
    tools: DeclaredTools, personas: Sequence[Persona], worlds: Collection[str], where: str
) -> None:
    """Raise InputError for tools of somebody whom the study does not have, or where nobody can search."""
    known = {persona.id for persona in personas}
    for id in tools:
        if not worlds:
            raise InputError(
                f"{where}: persona.{id} searches nothing, since the study has no [world]; add one"
            )
        if id != EVERYBODY and id not in known:
            raise InputError(f"{where}: {UnknownName('persona of this study', id, known)}")


def find_default_mode(document: Mapping[str, Any]) -> RetrievalMode:
    """Return the retrieval mode of the personas of a study that name none."""
    if document.get("retrieval"):
        return document["retrieval"]  # type: ignore[no-any-return]
    return "own" if any(world.get("retriever") for world in document["world"].values()) else "hybrid"


def set_retrieval_mode(personas: Sequence[Persona], mode: RetrievalMode) -> tuple[Persona, ...]:
    """Set the retrieval mode of personas that name none."""
    return tuple(
        one if "retrieval" in one.model_fields_set else one.model_copy(update={"retrieval": mode})
        for one in personas
    )


def build_tools(tools: DeclaredTools, worlds: Mapping[str, World]) -> dict[str, Tools]:
    """Build the tools of members from their declaration."""
    return {
        id: Tools(
            table.get("retrieval"), _build_policy(table["policy"], worlds) if "policy" in table else None
        )
        for id, table in tools.items()
    }


def _read_policy(table: Any, where: str) -> tuple[Policy, tuple[str, ...]]:
    """Read a policy with the patterns of the sources that it treats; raises InputError."""
    if not isinstance(table, Mapping) or table.get("by") not in POLICIES:
        known = ", ".join(f'"{name}"' for name in POLICIES)
        raise InputError(f'{where}: a policy is a table such as {{ by = "mmr" }}; by is one of {known}')
    by, sources = table["by"], table.get("sources", [])
    if not isinstance(sources, list | tuple) or not all(isinstance(one, str) for one in sources):
        raise InputError(f'{where}: sources is a list of names or patterns, such as ["ads/*"]')
    if (by in _BY_SOURCE) != bool(sources):
        remedy = 'name these by sources = ["ads/*"]' if by in _BY_SOURCE else "leave sources out"
        reads = "passages of certain sources" if by in _BY_SOURCE else "no sources"
        raise InputError(f"{where}: the policy {by!r} treats {reads}; {remedy}")
    if by == "quota" and "group" in table:
        raise InputError(f"{where}: of a look-up, sources name the group; leave group out")
    rest = {name: value for name, value in table.items() if name != "sources"}
    return validate_record(POLICIES[by], rest, where), tuple(sources)


def _build_policy(table: Any, worlds: Mapping[str, World]) -> HitPolicy:
    policy, sources = _read_policy(table, "the study on record")
    numbers: dict[str, int] = {}

    def is_treated(hit: Hit) -> bool:
        return any(fnmatchcase(hit.chunk.source, pattern) for pattern in sources)

    match policy.by:
        case "mmr":
            return HitReranker(policy, vectors=lambda hit: worlds[hit.chunk.world].vector(hit.chunk.id))
        case "cap":
            return HitReranker(policy, group=lambda hit: numbers.setdefault(hit.chunk.source, len(numbers)))
        case "quota":
            return HitReranker(policy, group=lambda hit: 0 if is_treated(hit) else 1)
    return HitReranker(policy, trusted=is_treated, harmful=is_treated)
