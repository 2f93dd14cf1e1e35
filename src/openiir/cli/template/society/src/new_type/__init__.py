"""new-type: neighbours read, like and answer posts about a statement."""

from new_type.scenario import NewTypeStudy

__all__ = ["NewTypeStudy"]
