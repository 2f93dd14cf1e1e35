"""Generation of information needs from the catalogue, liked items, human dialogues or the study itself."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import cycle, islice
from math import log

import numpy as np

from openiir.plugin import Draw, InputError, order_by
from openiir.scenarios.conversational.config import ConversationalConfig, GivenNeed, WholeRange
from openiir.scenarios.conversational.model.dialogue import Need
from openiir.scenarios.conversational.model.taste import NEWCOMER, TasteModel, UserTaste
from openiir.scenarios.conversational.model.titles.facets import Facets

TRIES = 500
"""Maximum number of attempts to generate a need."""
LIKED = 0.75
"""Minimum rating of a liked item, as a share of the rating scale: 4 on a scale of 1 to 5."""


@dataclass(frozen=True, eq=False)
class UserNeed:
    """A simulated user's information need, with its number, the user's taste, and difficulty."""

    number: int
    need: Need
    taste: UserTaste
    difficulty: float
    """log(items / targets) / log(items): 0 if every item is a target, 1 if there is a single one."""


@dataclass(frozen=True, eq=False)
class NeedSampler:
    """Generator of a study's information needs."""

    config: ConversationalConfig
    facets: Facets
    tastes: TasteModel
    told: Sequence[Need] = ()
    """Needs extracted from human dialogues."""
    barred: frozenset[int] = frozenset()
    """Items that cannot be recommended, such as items without a title."""

    def all(self) -> list[UserNeed]:
        """Generate all needs, by number: those given in the study, then from human dialogues, then sampled.

        Raises InputError, with the remedy, where one cannot be satisfied or drawn.
        """
        self._check_slots()
        users = self._order_users()
        given = [*map(_as_need, self.config.needs.given), *self._reduce_human_needs()]
        return [
            self._make_given(n, given[n], users) if n < len(given) else self._draw(n, users[n % len(users)])
            for n in range(self.config.dialogues)
        ]

    def _reduce_human_needs(self) -> Iterator[Need]:
        """Yield the needs of human dialogues, reduced to the catalogue's values, that some item satisfies."""
        for need in self.told:
            known = [p for p in need.constraints if p[0] in self._informable and len(self.facets.having(*p))]
            if known and len(self.facets.satisfying(known)):
                wanted = Need(constraints=tuple(known)).wanted.items()
                pairs = tuple((slot, value) for slot, values in wanted for value in values)
                requests = tuple(slot for slot in need.requests if slot in self._requestable)
                yield Need(constraints=pairs, requests=requests)

    def _order_users(self) -> list[int]:
        """Return the users of the ratings in a random order; need n belongs to user n, cyclically."""
        eligible = self._eligible()
        if not len(eligible):
            return [NEWCOMER]
        keys = Draw(self.config.data_seed, "conversational.raters").bits(agent=eligible)
        return list(eligible[order_by(keys)].tolist())

    def _eligible(self) -> np.ndarray:
        if self.config.needs.source == "catalogue":
            return np.unique(self.tastes.train.user)
        liked = np.unique(self.tastes.held_out.user[self._liked_mask()])
        if not len(liked):
            raise InputError(
                f'config.needs.source = "ratings": nobody has a held-out item that was liked among '
                f"{len(self.tastes.held_out)} held-out ratings; take data with ratings, or source = "
                '"catalogue"'
            )
        return liked

    def _liked_mask(self) -> np.ndarray:
        """Mask of the held-out ratings of liked items."""
        scale = self.tastes.held_out.scale
        return np.asarray(self.tastes.held_out.value >= scale.low + LIKED * (scale.high - scale.low))

    def _wish(self, number: int, taste: UserTaste, need: Need, targets: Sequence[int]) -> UserNeed:
        """Add the targets to a need, and its difficulty."""
        ids, items = self.facets.collection.ids, len(self.facets.collection)
        difficulty = log(items / len(targets)) / log(items) if items > 1 else 1.0
        whole = need.model_copy(update={"targets": tuple(ids[item] for item in targets)})
        return UserNeed(number, whole, taste, round(difficulty, 3))

    def _make_given(self, number: int, given: Need, users: Sequence[int]) -> UserNeed:
        """Build a given need, assigned to the next user who has not consumed all its targets."""
        pairs, where = given.constraints, f"config.needs.given[{number}]"
        for slot, value in pairs:
            if not len(self.facets.having(slot, value)):
                near = get_close_matches(value, self.facets.values(slot), n=3)
                hint = f"; near it: {', '.join(near)}" if near else ""
                raise InputError(
                    f"{where}: no item has {slot} = {value!r}{hint}; name a value that the catalogue has"
                )
        if not len(self.facets.satisfying(pairs)):
            raise InputError(f"{where}: no item satisfies {_words(pairs)} together; take a constraint away")
        for n in range(len(users)):
            taste = self.tastes.user_taste(users[(number + n) % len(users)])
            if targets := self._targets(pairs, taste):
                return self._wish(number, taste, given, targets)
        raise InputError(
            f"{where}: every user has had all items that satisfy {_words(pairs)}; take a constraint away"
        )

    def _draw(self, number: int, user: int) -> UserNeed:
        spec, taste, values = self.config.needs, self.tastes.user_taste(user), self.facets.collection.values
        draw = Draw(self.config.data_seed, "conversational.need", agent=number)
        for at, item in enumerate(self._draw_seed_items(draw, taste)):
            own = draw.at(item=at)
            names = {f"{slot}={v}": (slot, v) for slot in self._informable for v in values(slot, item)}
            size = _size(spec.constraints, own, "constraints")
            if len(names) < size or taste.dislikes(item):
                continue
            chosen = [names[name] for name in own.at("pairs").order(list(names))[:size]]
            targets = self._targets(chosen, taste)
            if not spec.targets.least <= len(targets) <= spec.targets.most:
                continue
            about = {slot for slot, _ in chosen}
            open_ = [slot for slot in self._requestable if slot not in about and values(slot, item)]
            if len(open_) < spec.requests.least:
                continue
            wanted = own.at("requests").order(open_)[: _size(spec.requests, own, "requests")]
            need = Need(constraints=tuple(chosen), requests=tuple(wanted))
            return self._wish(number, taste, need, targets)
        raise InputError(
            f"no need found for user {number + 1} in {TRIES} tries: with {_range(spec.constraints)} "
            f"constraints about {', '.join(self._informable)} there is none that {_range(spec.targets)} "
            f"items satisfy which the user has not had, with {_range(spec.requests)} more slots to ask "
            "about; widen config.needs.targets, .constraints or .requests"
        )

    def _draw_seed_items(self, draw: Draw, taste: UserTaste) -> Iterator[int]:
        """Yield items to generate a need from, none of them consumed by the user."""
        if self.config.needs.source == "ratings":
            mask = self._liked_mask() & (self.tastes.held_out.user == taste.user)
            liked = [str(item) for item in self.tastes.held_out.item[mask].tolist()]
            yield from islice(cycle(map(int, draw.at("liked").order(list(dict.fromkeys(liked))))), TRIES)
            return
        for n in range(TRIES):
            item = draw.at("item").below(len(self.facets.collection), item=n)
            if item not in taste.consumed and item not in self.barred:
                yield item

    def _targets(self, pairs: Sequence[tuple[str, str]], taste: UserTaste) -> list[int]:
        """List the target items: they meet all constraints and are neither consumed nor known to be
        disliked."""
        found = self.facets.satisfying(pairs).tolist()
        out = self.barred | taste.consumed
        return [item for item in found if item not in out and not taste.dislikes(item)]

    @property
    def _informable(self) -> tuple[str, ...]:
        return self.config.needs.informable or self.facets.slots

    @property
    def _requestable(self) -> tuple[str, ...]:
        return self.config.needs.requestable or self.facets.slots

    def _check_slots(self) -> None:
        known = self.facets.slots
        if not known and self.config.dialogues > len(self.config.needs.given):
            raise InputError(
                "the catalogue has no attributes that a need could be about; name some in "
                "config.data.items.attributes"
            )
        needs = self.config.needs
        named = {"informable": needs.informable, "requestable": needs.requestable}
        named |= {f"given[{n}]": (*one.constraints, *one.requests) for n, one in enumerate(needs.given)}
        for key, slot in ((key, slot) for key, slots in named.items() for slot in slots):
            if slot not in known:
                has = ", ".join(known) or "none"
                raise InputError(f"config.needs.{key} names the slot {slot!r}; the catalogue has {has}")


def _as_need(given: GivenNeed) -> Need:
    several = {slot: (v,) if isinstance(v, str) else v for slot, v in given.constraints.items()}
    pairs = tuple((slot, value) for slot, values in several.items() for value in values)
    return Need(constraints=pairs, requests=given.requests)


def _size(numbers: WholeRange, draw: Draw, what: str) -> int:
    return numbers.least + int(draw.at(what).below(numbers.most - numbers.least + 1))


def _range(numbers: WholeRange) -> str:
    return str(numbers.least) if numbers.least == numbers.most else f"{numbers.least} to {numbers.most}"


def _words(pairs: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{slot} = {value}" for slot, value in pairs)
