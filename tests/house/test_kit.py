"""The kit holds what two or more reach: types, the templates of `openiir new`, and the rooms above the kit
together."""

import re
from collections import defaultdict

import pytest
from import_graph import SOURCE, TYPES, lines_of, modules, reached

KIT, SCENARIOS = "openiir.kit.", "openiir.scenarios."


def users_of_kit():
    """Map each module of the kit to those who reach it."""
    starts = {name: sorted((SOURCE / "openiir/scenarios" / name).rglob("*.py")) for name in TYPES}
    starts["templates"] = sorted((SOURCE / "openiir/cli/template").rglob("*.py"))
    above = [file for name, file in modules().items() if not name.startswith((KIT, SCENARIOS, "openiir.kit"))]
    starts["the rooms above"] = above
    users = defaultdict(set)
    for user, files in starts.items():
        for name in reached(files, "openiir.kit"):
            users[name].add(user)
    return {
        name: users[name]
        for name, file in modules().items()
        if name.startswith(KIT) and file.name != "__init__.py"
    }


def test_each_part_of_the_kit_has_two_users():
    users = users_of_kit()
    lonely = {name: sorted(by) for name, by in users.items() if len(by) < 2}
    assert not lonely, (
        f"move these into the type that alone reaches them, or away where nobody does: {lonely}"
    )


SIZE = re.compile(
    r"\*\*Size\.\*\* ([\d,]+) lines of Python in this folder and ([\d,]+) in the kit that no other type"
)


@pytest.mark.parametrize("name", TYPES)
def test_a_type_says_at_the_head_of_its_readme_how_many_lines_it_reaches_alone(name):
    """The table of types; figures in a README may be a tenth off."""
    own = lines_of(module for module in modules() if f"{module}.".startswith(f"{SCENARIOS}{name}."))
    alone = lines_of(module for module, by in users_of_kit().items() if by & set(TYPES) == {name})
    print(f"{name:20} {own:7,} lines of its own {alone:7,} in the kit")
    head = (SOURCE / "openiir/scenarios" / name / "README.md").read_text("utf-8")[:3_000]
    said = SIZE.search(" ".join(head.split()))
    assert said, (
        f"write at its head: **Size.** {own:,} lines of Python in this folder "
        f"and {alone:,} in the kit that no other type uses"
    )
    for figure, counted in zip(said.groups(), (own, alone), strict=True):
        assert abs(int(figure.replace(",", "")) - counted) <= counted / 10, (
            f"{figure} lines are {counted:,} now"
        )
