"""Who visits: users of the data set with enough ratings, and personas of the study who have none."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum

import numpy as np

from openiir.kit.items import Collection, DataSet, Guard, Split
from openiir.kit.items.ratings import Floats, Ints
from openiir.plugin import Draw, EpisodicMemory, InputError, Persona, Stage, quantise
from openiir.scenarios.recommender.actions import Visits
from openiir.scenarios.recommender.brain import Temper
from openiir.scenarios.recommender.config import RecommenderConfig
from openiir.scenarios.recommender.minds import ATTRACTION, Fitted, standardised
from openiir.scenarios.recommender.persona import (
    Candidate,
    Interests,
    Matched,
    Profile,
    as_persona,
    interests,
    persona_id,
    profiles,
    rating_words,
    stated_candidate,
    stated_profile,
)
from openiir.scenarios.recommender.persona.traits import AGES
from openiir.scenarios.recommender.visitor import Common, Visitor
from openiir.scenarios.recommender.wording import history_words

OF_DATA = "user-"
"""How the ids of users of the data set begin; personas of the study are called otherwise."""
HISTORY = 50
"""Ratings of the past that fill a memory, drawn at random (SimUSER, section 3.1)."""

_RATER = "Somebody who rates"
"""What the bio of a user begins with before a persona is matched."""
LEAST = 5
"""Training ratings without which nothing can be said of a user's taste."""


def chosen_users(config: RecommenderConfig, data: DataSet, split: Split, own: int) -> Ints:
    """(visitors,): indices of the users drawn, ascending. Raises InputError where there are too few.

    They are drawn by `data_seed`, each one's place by its own id, so that more visitors include the fewer ones.
    """
    enough = np.bincount(split.train.user, minlength=data.ratings.users) >= LEAST
    asked = f"at least {LEAST} training ratings"
    if config.experiment == "discrimination":
        least = config.discrimination.least
        enough &= np.bincount(split.test.user, minlength=data.ratings.users) >= least
        asked += f" and {least} in the test fold (config.discrimination.least)"
    fit = np.flatnonzero(enough)
    wanted = max(0, config.users - own)
    if len(fit) < wanted:
        raise InputError(
            f"config.users = {config.users}, but of {data.ratings.users} users of {data.name} {len(fit)} have {asked}; "
            f"take at most {len(fit) + own}"
        )
    keys = Draw(config.data_seed, "recommender.visitors").bits(agent=fit)
    return np.sort(fit[np.argsort(keys, kind="stable")[:wanted]])


def unmatched(data: DataSet, user: int, tokens: int) -> Persona:
    """A user before a persona is matched: an id and nothing more, since what a data set says of a person makes no persona."""
    name = data.users[user]
    return Persona(
        id=persona_id(name),
        name=f"User {name}",
        bio=f"{_RATER} {data.collection.kind}s.",
        tokens=tokens,
    )


def own_of(personas: Sequence[Persona]) -> list[Persona]:
    """The study's own among personas, which may be a whole cast already.

    Raises InputError where one of them is called as a user of the data would be.
    """
    own = [p for p in personas if not (p.id.startswith(OF_DATA) and p.bio.startswith(_RATER))]
    for persona in own:
        if persona.id.startswith(OF_DATA):
            raise InputError(
                f"the persona {persona.id!r} is called like a user of the data set; give it another id"
            )
    return own


def check_ids(personas: Sequence[Persona]) -> None:
    """Raises InputError where two visitors would have one id."""
    seen: set[str] = set()
    for persona in personas:
        if persona.id in seen:
            raise InputError(
                f"two visitors would be called {persona.id!r}; give personas of the study other ids"
            )
        seen.add(persona.id)


@dataclass(frozen=True)
class Casting:
    """Makes the visitors of a run."""

    stage: Stage
    data: DataSet
    folds: Split
    guard: Guard
    common: Common

    def visitors(
        self, users: Ints, own: Sequence[Persona], matched: Mapping[int, Matched], minds: Fitted
    ) -> tuple[Visitor, ...]:
        """One a user, the study's own personas last; each is noted with what was matched."""
        habits = profiles(self.folds.train, self.data.collection)
        of = minds.of(users)
        graphs = (
            minds.retriever.memories(users)
            if minds.retriever and self.common.spec.graph
            else [None] * len(users)
        )
        made = []
        for n, user in enumerate(users.tolist()):
            newcomer = user >= self.data.ratings.users
            persona = own[user - self.data.ratings.users] if newcomer else None
            profile = stated_profile(persona) if persona else habits.of(user)
            candidate = self._candidate(persona, matched.get(user))
            known = persona or self._persona(user, profile, candidate, matched.get(user))
            memory = self._memory(known, user)
            usual = self.common.scales.mean if newcomer else profile.mean
            temper = _temper(profile, candidate)
            lean = float(minds.bias.users[user])
            pull = (
                drawn_by_interests(of.pull[n], interests(persona, self.data.collection), self.data.collection)
                if persona
                else of.pull[n]
            )
            made.append(Visitor(user, known, temper, usual, lean, memory, graphs[n], pull, of.expected[n]))
            self._note(known, user, candidate, matched.get(user), profile)
        return tuple(made)

    def _candidate(self, persona: Persona | None, matched: Matched | None) -> Candidate | None:
        if persona is not None:
            return stated_candidate(persona) if self.common.spec.persona else None
        return matched.persona if matched else None

    def _persona(
        self, user: int, profile: Profile, candidate: Candidate | None, matched: Matched | None
    ) -> Persona:
        """Who a user's id stands for in this run, each thing said once; without a persona it is its habits alone."""
        name, kind = self.data.users[user], self.data.collection.kind
        taste = matched.taste if matched else ""
        made = as_persona(name, profile, candidate, taste, kind)
        rated = rating_words(self.common.five(self.folds.train.of(user)[1]), kind)
        habits = profile.words(kind, ("engagement", "conformity", "variety"))
        told = {
            "name": candidate.who() if candidate else f"somebody who rates {kind}s",
            "bio": " ".join(filter(None, (rated, taste, habits)))[:4_000],
            "traits": {},
            "tokens": self.common.spec.tokens,
        }
        return made.model_copy(update=told)

    def _memory(self, persona: Persona, user: int) -> EpisodicMemory:
        items, values = self.folds.train.of(user)
        keys = self.stage.draw("recommender.history", step=0).bits(agent=user, item=items)
        chosen = np.sort(np.argsort(keys, kind="stable")[:HISTORY])
        self.guard.memory((user, item) for item in items[chosen].tolist())
        memory, of = EpisodicMemory(persona.memory), self.data.collection
        for item, value in zip(items[chosen].tolist(), values[chosen].tolist(), strict=True):
            stars, title = self.common.five(value), of.titles[item]
            text = history_words(title, round(stars, 1), of.values("genre", item))
            memory.store(text, item=of.ids[item], rating=value, title=title)
        return memory

    def _note(
        self,
        persona: Persona,
        user: int,
        candidate: Candidate | None,
        matched: Matched | None,
        profile: Profile,
    ) -> None:
        """What a visitor is; of a user, what the data set says of it too, which nobody but the measures sees."""
        truth = {
            name: column[user]
            for name, column in self.data.demographics.items()
            if user < self.data.ratings.users
        }
        scores = [one.score for one in matched.candidates] if matched else []
        noted = Visits(
            persona=candidate,
            scores=tuple(None if np.isnan(score) else score for score in scores),
            calls=matched.calls if matched else 0,
            taste=matched.taste if matched else "",
            levels=profile.levels,
            ratings=len(self.folds.train.of(user)[0]),
            truth=truth,
        )
        self.stage.note(Visits.kind, persona.id, noted)


def drawn_by_interests(pull: Floats, found: Interests, collection: Collection) -> Floats:
    """What draws somebody who never rated anything: what draws everybody, and as much the genres of its interests.

    An item of which an interest names the title or the maker counts as of all of them.
    """
    of = [
        fsum(found.genres.get(genre, 0.0) for genre in collection.values("genre", n))
        for n in range(len(collection))
    ]
    match = np.array(of)
    match[list(found.items)] = 1.0
    both = standardised(pull[None, :]) + standardised(match[None, :])
    return np.asarray(quantise(ATTRACTION * standardised(both)[0]))


def _temper(profile: Profile, candidate: Candidate | None) -> Temper:
    """What of a person bears on its decisions; without a persona its habits alone."""
    picky, engaged = profile.levels[:2]
    if candidate is None:
        return Temper(picky=picky, engaged=engaged)
    age = AGES.index(candidate.age)
    return Temper(
        picky=picky,
        engaged=engaged,
        age=0 if age < 2 else 2 if age >= 4 else 1,
        openness=candidate.openness - 1,
        agreeableness=candidate.agreeableness - 1,
    )
