"""Users of a study: sampled from the declared distributions, or the study's own personas."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from openiir.kit.text_tables import read_text_table
from openiir.plugin import Draw, InputError, Persona
from openiir.scenarios.conversational.config import (
    EVERYBODY,
    TRAITS,
    ConversationalConfig,
    GroupSpec,
    Traits,
    TraitSpec,
    TraitSpread,
)

SEEKER = "seeker-"
"""Prefix of the ids of sampled users."""


def draw_persona(config: ConversationalConfig, number: int) -> Persona:
    """Sample the user of a need: group and traits by `data_seed`, and a bio that describes them."""
    draw = Draw(config.data_seed, "conversational.user", agent=number)
    spec = _group(config, draw)
    traits = {name: _draw_trait(getattr(spec, name), draw, name) for name in TRAITS}
    return Persona(
        id=f"{SEEKER}{number + 1}",
        name=NAMES[draw.below(len(NAMES), item="name")],
        bio=_bio(traits),
        tokens=config.users.tokens,
        traits={**traits, **({"group": spec.name} if isinstance(spec, GroupSpec) else {})},
    )


def redraw_persona(config: ConversationalConfig, persona: Persona, number: int) -> Persona:
    """Draw the user of a need again under a changed configuration, by the same random numbers.

    The study's own personas stay as they are: traits that they do not have are read from the configuration
    anyway.
    """
    if not persona.id.startswith(SEEKER):
        return persona
    drawn = draw_persona(config, number)
    return persona.model_copy(update={"bio": drawn.bio, "traits": drawn.traits, "tokens": drawn.tokens})


def traits_of(persona: Persona, config: ConversationalConfig) -> Traits:
    """Return a persona's traits; missing ones take the population's mean.

    Raises InputError for a trait that is no number from 0 to 1.
    """
    found = {}
    for name in TRAITS:
        value = persona.traits.get(name, getattr(config.users, name).mean)
        if isinstance(value, (bool, str)) or not 0 <= value <= 1:
            raise InputError(f"persona {persona.id!r}: {name} = {value!r}; give a number from 0 to 1")
        found[name] = float(value)
    return Traits(**found)


def group_of(persona: Persona) -> str:
    """Return a persona's population group, from its trait `group`; `everybody` without one."""
    return str(persona.traits.get("group", EVERYBODY))


def build_cast(config: ConversationalConfig, personas: Sequence[Persona]) -> list[Persona]:
    """Return one persona per need: the study's own first, then sampled ones.

    `personas` may be the whole cast already. Raises InputError where the study has more than it has needs.
    """
    own = [persona for persona in personas if not persona.id.startswith(SEEKER)]
    if len(own) > config.dialogues:
        raise InputError(
            f"config.dialogues = {config.dialogues}, but the study has {len(own)} personas, each with a need "
            "of its own; let there be as many dialogues"
        )
    for persona in own:
        traits_of(persona, config)
    return own + [draw_persona(config, number) for number in range(len(own), config.dialogues)]


def _group(config: ConversationalConfig, draw: Draw) -> TraitSpec:
    at = draw.uniform(item="group")
    for group in config.users.groups:
        if at < group.share:
            return group
        at -= group.share
    return config.users


def _draw_trait(spread: TraitSpread, draw: Draw, name: str) -> float:
    """Sample a trait from the normal distribution truncated to 0 to 1, by inversion."""
    if spread.sd == 0:
        return spread.mean
    from scipy.special import ndtri

    low, high = _probabilities(spread.mean, spread.sd)
    value = spread.mean + spread.sd * ndtri(low + draw.uniform(item=name) * (high - low))
    return round(float(min(1.0, max(0.0, value))), 3)


@lru_cache(maxsize=256)
def _probabilities(mean: float, sd: float) -> tuple[Any, Any]:
    """Return the normal distribution's probabilities of values below 0 and below 1."""
    from scipy.special import ndtr

    return ndtr((0 - mean) / sd), ndtr((1 - mean) / sd)


_STEPS = read_text_table("""
patience | talking to a machine tires {you} at once | talking to a machine tires {you} soon |  |
    {you} can talk to a machine for quite a while | {you} can talk to a machine for ever
cooperativeness | {you} hardly ever answer questions | {you} often let questions pass |
    {you} answer about every other question | {you} answer most questions | {you} answer questions readily
talkativeness | {you} use as few words as {you} can | {you} are sparing with words |  | {you} like to talk |
    {you} say everything that comes to mind
knowledge | {you} know next to nothing of what there is to choose from |
    {you} know a little of what there is to choose from |
    {you} know about half of what there is to choose from | {you} know most of what there is to choose from |
    {you} know what there is to choose from very well
""")
"""For each trait, self-descriptions in five steps from 0 to 1; empty for average users."""
NAMES = (
    "Alex Andrea Ariel Bo Cameron Charlie Chris Dana Drew Eli Frankie Jamie Jo Jordan Jules Kai Kim Lee Lou "
    "Luca Max Mika Morgan Nico Noa Pat Quinn Ray Robin Rowan Sam Sasha Sidney Sky Taylor Toni Val"
).split()
"""First names common to many kinds of people."""


def _step(name: str, value: float, you: str = "you") -> str:
    return _STEPS[name][min(4, int(value * 5))].format(you=you)


def _bio(traits: Mapping[str, float]) -> str:
    *steps, last = filter(None, (_step(name, traits[name]) for name in TRAITS))
    said = f"{', '.join(steps)}, and {last}."
    return f"You ask recommendation services for something to your liking. {said[0].upper()}{said[1:]}"


def patience_words(persona: Persona) -> str:
    """Describe a persona's patience in a sentence; empty if unknown or average."""
    value = persona.traits.get("patience")
    if not isinstance(value, float):
        return ""
    words = _step("patience", value, "this person")
    return f"{words[0].upper()}{words[1:]}." if words else ""
