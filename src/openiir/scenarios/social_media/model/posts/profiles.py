"""The attributes of a persona that a profile on a site shows, in the style of two sites."""

from collections.abc import Sequence
from typing import Literal

from openiir.plugin import Persona

ProfileStyle = Literal["twitter", "reddit"]
_DESCRIPTION = 160
"""Characters of a description on Twitter."""


def emit_profile(
    style: ProfileStyle, persona: Persona, followers: int, following: int, topics: Sequence[str]
) -> dict[str, str]:
    """Return the attributes that a profile generator of this style emits for a persona, by name.

    Twitter: `handle`, `name`, `description`, `followers`, `following`. Reddit: `username`, `about`, `communities`, and each
    trait of the persona under its own name. Neither bears on what anybody does.
    """
    handle = persona.id.replace("-", "_")
    if style == "twitter":
        return {
            "handle": f"@{handle}", "name": persona.name, "description": persona.bio[:_DESCRIPTION],
            "followers": str(followers), "following": str(following),
        }  # fmt: skip
    traits = {name: str(value) for name, value in sorted(persona.traits.items())}
    return {**traits, "username": f"u/{handle}", "about": persona.bio, "communities": ", ".join(topics)}
