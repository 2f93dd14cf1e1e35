from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from openiir.core.agents import Agent
from openiir.core.records import Budget, Persona


@settings(deadline=None)
@given(
    st.integers(0, 100),
    st.integers(0, 5),
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 3)), max_size=8),
)
def test_what_is_taken_is_never_more_than_was_left(
    tokens: int, searches: int, debits: list[tuple[int, int]]
) -> None:
    one = Agent.of(Persona(id="a", name="A", bio="B.", tokens=tokens, searches=searches))
    taken = [one.debit(*debit) for debit in debits]
    assert one.budget.tokens == tokens - sum(t for t, _ in taken) >= 0
    assert one.budget.searches == searches - sum(s for _, s in taken) >= 0
    assert all(0 <= t <= d and 0 <= s <= e for (t, s), (d, e) in zip(taken, debits, strict=True))
    assert one.spent == (one.budget.tokens == 0)


def test_a_budget_is_a_record_that_spending_leaves_alone() -> None:
    full = Budget(tokens=5, searches=1)
    assert full.spend(tokens=9, searches=1) == Budget(tokens=0, searches=0) and full.tokens == 5


def test_an_agents_draws_bear_its_id_unless_it_came_from_a_crowd(agent: Callable[..., Agent]) -> None:
    assert agent("ada").key == "ada" and agent("ada", key=0).key == 0
