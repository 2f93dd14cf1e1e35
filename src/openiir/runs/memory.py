"""Apply a study's memory policy to personas that name none of their own."""

from collections.abc import Sequence

from openiir.core.agents import MemoryPolicy
from openiir.core.errors import InputError
from openiir.core.records import Persona
from openiir.plugin import Scenario


def set_memory_policy(
    scenario: Scenario, personas: Sequence[Persona], policy: str, where: str
) -> tuple[Persona, ...]:
    """Set the study's memory policy for personas without one; InputError if the type has no memory."""
    try:
        MemoryPolicy.parse(policy)
    except InputError as error:
        raise InputError(f"{where} memory: {error}") from None
    if policy != "full" and not scenario.remembers:
        raise InputError(
            f"{where} memory: agents of the type {scenario.name!r} remember nothing; leave the key out"
        )
    given = [
        p if p.memory != "full" or policy == "full" else p.model_copy(update={"memory": policy})
        for p in personas
    ]
    for one in given if scenario.remembers else ():
        if MemoryPolicy.parse(one.memory).shared and not scenario.shares:
            raise InputError(
                f"{where}: the memory policy of {one.id!r} is {one.memory!r}, but agents of the type "
                f"{scenario.name!r} live apart from each other and share nothing; name another policy"
            )
        if not scenario.reflects and MemoryPolicy.parse(one.memory).reflects:
            raise InputError(
                f"{where}: the memory policy of {one.id!r} is {one.memory!r}, but agents of the type "
                f'{scenario.name!r} are never asked what they have learnt; name "episodic"'
            )
    return tuple(given)
