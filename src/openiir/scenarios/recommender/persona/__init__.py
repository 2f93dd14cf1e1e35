"""Who the users of a recommender are: profiles from what they rated, and personas matched to it."""

from openiir.scenarios.recommender.persona.accuracy import agreement, self_reports
from openiir.scenarios.recommender.persona.assigning import as_persona, persona_id
from openiir.scenarios.recommender.persona.groups import groups
from openiir.scenarios.recommender.persona.histories import Histories
from openiir.scenarios.recommender.persona.matching import Matched, Matching, Scored, match, match_offline
from openiir.scenarios.recommender.persona.profile import Profile, Profiles, profiles, rating_words
from openiir.scenarios.recommender.persona.stated import (
    Interests,
    interests,
    stated_candidate,
    stated_profile,
)
from openiir.scenarios.recommender.persona.tasting import taste_in_words
from openiir.scenarios.recommender.persona.traits import AGES, FACTORS, OCCUPATIONS, Candidate

__all__ = [
    "AGES",
    "Candidate",
    "FACTORS",
    "Histories",
    "Interests",
    "Matched",
    "Matching",
    "OCCUPATIONS",
    "Profile",
    "Profiles",
    "Scored",
    "agreement",
    "as_persona",
    "groups",
    "interests",
    "match",
    "match_offline",
    "persona_id",
    "profiles",
    "rating_words",
    "self_reports",
    "stated_candidate",
    "stated_profile",
    "taste_in_words",
]
