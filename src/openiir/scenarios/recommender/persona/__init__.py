"""Profiles of users from their ratings, and personas matched to their rating histories."""

from openiir.scenarios.recommender.persona.accuracy import self_reports
from openiir.scenarios.recommender.persona.groups import group_personas
from openiir.scenarios.recommender.persona.histories import Histories
from openiir.scenarios.recommender.persona.matching import (
    PersonaMatch,
    Scored,
    match,
    match_offline,
)
from openiir.scenarios.recommender.persona.profile import (
    Profile,
    Profiles,
    as_persona,
    persona_id,
    profiles,
    rating_words,
)
from openiir.scenarios.recommender.persona.study_persona import (
    Interests,
    match_interests,
    stated_candidate,
    stated_profile,
)
from openiir.scenarios.recommender.persona.taste_words import taste_in_words
from openiir.scenarios.recommender.persona.traits import AGES, FACTORS, OCCUPATIONS, PersonaCandidate

__all__ = [
    "AGES",
    "FACTORS",
    "Histories",
    "Interests",
    "OCCUPATIONS",
    "PersonaCandidate",
    "PersonaMatch",
    "Profile",
    "Profiles",
    "Scored",
    "as_persona",
    "group_personas",
    "match",
    "match_interests",
    "match_offline",
    "persona_id",
    "profiles",
    "rating_words",
    "self_reports",
    "stated_candidate",
    "stated_profile",
    "taste_in_words",
]
