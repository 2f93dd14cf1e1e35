import pytest

from openiir.plugin import Persona
from openiir.scenarios.recommender.model.persona.profile import as_persona, persona_id, profiles
from openiir.scenarios.recommender.model.persona.study_persona import (
    match_interests,
    stated_candidate,
    stated_profile,
)
from openiir.scenarios.recommender.model.persona.traits import PersonaCandidate


def own(**more):
    return Persona.model_validate({"id": "ada", "name": "Ada", "bio": "Ada fishes.", **more})


def test_a_matched_user_is_a_persona_for_any_type(train, collection):
    candidate = PersonaCandidate(
        age="45-49",
        occupation="writer",
        openness=3,
        conscientiousness=1,
        extraversion=2,
        agreeableness=2,
        neuroticism=3,
    )
    profile = profiles(train, collection).of(11)
    persona = as_persona("17", profile, candidate, "You like drama.")
    assert (persona.id, persona.name) == ("user-17", "User 17")
    assert persona.bio == f"You like drama. {profile.words('movie')}"
    assert tuple(value for _, value in persona.big_five) == (0.83, 0.17, 0.5, 0.5, 0.83)
    assert persona.traits == {"age": "45-49", "occupation": "writer", **profile.labels()}
    assert stated_candidate(persona) == candidate
    assert stated_profile(persona).levels == profile.levels


def test_without_a_match_nothing_is_made_up(train, collection):
    persona = as_persona("17", profiles(train, collection).of(1), None, "")
    assert not {"age", "occupation"} & persona.traits.keys()
    assert {value for _, value in persona.big_five} == {0.5}


def test_ids_of_data_sets_stay_apart():
    ids = [persona_id(user) for user in ("17", "A1", "a1", "a-1", "A 1", "é", "x" * 90, "X" * 90)]
    assert len(set(ids)) == len(ids)
    for id in ids:
        own(id=id)


def test_interests_become_genres_of_the_collection(collection):
    found = match_interests(
        own(interests=("space travel", "funny films", "horror and drama", "dog grooming")), collection
    )
    assert found.genres == pytest.approx(
        {"Sci-Fi": 1 / 3, "Comedy": 1 / 3, "Horror": 1 / 6, "Drama": 1 / 6}, abs=1e-5
    )
    assert found.items == ()


def test_interests_name_makers_and_titles(collection):
    found = match_interests(own(interests=("director 3", "Film 11")), collection)
    assert found.items == (3, 8, 11, 13, 18, 23, 28, 33, 38)
    assert sum(found.genres.values()) == pytest.approx(1, abs=1e-5)


def test_a_persona_that_says_nothing_stays_in_the_middle(collection):
    assert stated_profile(own()).levels == (1, 1, 1, 1)
    assert stated_candidate(own()) is None

    assert match_interests(own(), collection).genres == {}


def test_age_may_be_given_in_years():
    persona = own(big_five={"openness": 0.9, "neuroticism": 0.1}, traits={"age": 34, "occupation": "writer"})
    found = stated_candidate(persona)
    assert (found.age, found.occupation, found.levels) == ("25-34", "writer", (3, 2, 2, 2, 1))
    assert stated_candidate(own(traits={"age": 34, "occupation": "pirate"})) is None
    assert stated_candidate(own(traits={"age": True, "occupation": "writer"})) is None
