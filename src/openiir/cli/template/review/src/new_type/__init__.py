"""new-type: reviewers look passages up and rate how well each supports a statement."""

from new_type.scenario import NewTypeStudy

__all__ = ["NewTypeStudy"]
