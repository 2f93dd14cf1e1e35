"""new-type: reviewers rate passages, argue in pairs, and revise."""

from new_type.scenario import NewTypeStudy

__all__ = ["NewTypeStudy"]
