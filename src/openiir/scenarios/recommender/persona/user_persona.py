"""Build the persona of a matched user, for any type."""

import hashlib
import re

from openiir.plugin import Persona
from openiir.scenarios.recommender.persona.profile import Profile
from openiir.scenarios.recommender.persona.traits import PersonaCandidate


def as_persona(
    user: str, profile: Profile, matched: PersonaCandidate | None, taste: str, kind: str = "movie"
) -> Persona:
    """A user of a data set as a persona: `User 17`, with taste and habits as its bio.

    Big Five on 0..1, a level being the middle of its third of the population: 1, 2, 3 are .17, .5, .83.
    Without a match (or left out on purpose) there is no age or occupation and all five are 0.5, which prompts
    leave unsaid.
    """
    traits: dict[str, str | int | float | bool] = {**profile.labels()}
    if matched is not None:
        traits |= {"age": matched.age, "occupation": matched.occupation}
    return Persona.model_validate(
        {
            "id": persona_id(user),
            "name": f"User {user}"[:120],
            "bio": f"{taste} {profile.words(kind)}".strip()[:4_000],
            "big_five": dict(matched.big_five) if matched else {},
            "traits": traits,
        }
    )


def persona_id(user: str) -> str:
    """`user-17`; of another id than small letters and digits those, and a hash that tells it from the like."""
    plain = re.sub(r"[^a-z0-9]+", "-", user.lower()).strip("-")[:40]
    if plain == user:
        return f"user-{user}"
    return f"user-{plain}-{hashlib.blake2b(user.encode(), digest_size=4).hexdigest()}"
