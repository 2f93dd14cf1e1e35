"""What a round does where its table says nothing else."""

from openiir.scenarios.panel.config import Round


def test_a_plain_round_hears_everybody_once_and_takes_two_ideas_of_each() -> None:
    plain = Round(name="Ideas", goal="Find ideas.", turns=3)
    assert (plain.form, plain.first_words, plain.each, plain.until) == ("talk", 1, 2, ())
