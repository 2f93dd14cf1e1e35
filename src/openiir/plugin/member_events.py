"""Events that a type with a population may let studies schedule: a member becomes an agent, or leaves."""

from openiir.core.records import ConfigTable


class PromotionEvent(ConfigTable):
    """A member of the crowd becomes an agent, who can be asked by itself."""

    member: str
    """Id of the member, such as reader-000017."""
    name: str
    """Name of the persona."""
    bio: str
    """One paragraph about the persona."""


class DepartureEvent(ConfigTable):
    """A member leaves for good."""

    member: str
    """Id of the member."""
