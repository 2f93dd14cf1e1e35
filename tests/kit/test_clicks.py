"""Click models against one user read at a time, and over many users against what they expect."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.stats import chisquare

from lab.fitting import Parameter, maximise_likelihood
from openiir.core.seeds import Draw
from openiir.kit.clicks import ClickModel, SlateReading
from openiir.scenarios.curated_feed.model.off_policy.clickfit import fit_position_click_model

MODELS = {
    "position": ClickModel(gamma=0.7),
    "position, leaving": ClickModel(leave=0.2),
    "cascade": ClickModel(model="cascade"),
    "cascade, leaving": ClickModel(model="cascade", leave=0.15),
    "dbn": ClickModel(model="dbn", satisfaction=0.4, continuation=0.8),
    "dbn, leaving": ClickModel(model="dbn", leave=0.1),
}
DRAW = Draw(6, "test.clicks")
ATTRACTION = np.array([0.2, 0.7, 0.05, 0.5, 0.9])


def alone(
    model: ClickModel, draw: Draw, user: int, session: int, attraction: list[float]
) -> list[tuple[bool, bool]]:
    """Looks and clicks of one user, position by position, from scalar draws."""

    def uniform(what: str, position: int) -> float:
        return float(draw.at(what).uniform(agent=user, item=position, step=session))

    reading, here, told = True, True, []
    for position, appeal in enumerate(attraction, 1):
        if model.model == "position":
            look = here and uniform("look", position) < position**-model.gamma
        else:
            look = here and reading
        click = look and uniform("click", position) < appeal
        told.append((look, click))
        if model.model == "cascade" and click:
            reading = False
        if model.model == "dbn":
            satisfied = click and uniform("satisfied", position) < model.satisfaction
            if satisfied or uniform("continue", position) >= model.continuation:
                reading = False
        if uniform("leave", position) < model.leave:
            here = False
    return told


def together(model: ClickModel, draw: Draw, users: np.ndarray, session: int, attraction: np.ndarray) -> tuple:
    reading = SlateReading(model, draw.at(step=session), users, len(attraction))
    looks, clicks, weights = [], [], []
    for position, appeal in enumerate(attraction, 1):
        look, weight = reading.look(position)
        click = reading.click(position, look, np.full(len(users), appeal))
        reading.go_on(position, look, click)
        looks.append(look), clicks.append(click), weights.append(weight)
    return np.stack(looks, 1), np.stack(clicks, 1), np.stack(weights, 1)


@pytest.mark.parametrize("name", MODELS)
def test_a_block_of_users_reads_as_each_of_them_alone(name: str) -> None:
    model, draw = MODELS[name], Draw(3, "reading")
    users = np.array([4, 0, 17, 2, 90, 91, 3, 8, 6, 5])
    for session in (0, 5):
        looks, clicks, _ = together(model, draw, users, session, ATTRACTION)
        for row, user in enumerate(users.tolist()):
            expected = alone(model, draw, user, session, ATTRACTION.tolist())
            assert list(zip(looks[row].tolist(), clicks[row].tolist(), strict=True)) == expected
        whole = SlateReading(model, draw.at(step=session), users, len(ATTRACTION))
        assert (whole.read(np.tile(ATTRACTION, (len(users), 1))) == clicks).all()


@pytest.mark.parametrize("name", MODELS)
def test_clicks_come_as_often_as_expected(name: str) -> None:
    model, n = MODELS[name], 40_000
    _, clicks, _ = together(model, Draw(9, "many"), np.arange(n), 0, ATTRACTION)
    expected = model.click_chances(ATTRACTION[None, :])[0]
    error = np.sqrt(expected * (1 - expected) / n)
    assert (np.abs(clicks.mean(axis=0) - expected) < 4 * error).all(), (clicks.mean(axis=0), expected)


def test_a_cascade_ends_at_its_first_click() -> None:
    looks, clicks, _ = together(MODELS["cascade"], Draw(1, "c"), np.arange(2_000), 0, ATTRACTION)
    assert clicks.sum(axis=1).max() == 1
    before = np.cumsum(clicks, axis=1) - clicks
    assert (looks == (before == 0)).all()


def test_a_satisfied_reader_stops_and_others_may_go_on() -> None:
    always = ClickModel(model="dbn", satisfaction=1.0, continuation=1.0)
    never = ClickModel(model="dbn", satisfaction=0.0, continuation=1.0)
    users = np.arange(2_000)
    stopping = together(always, Draw(1, "d"), users, 0, ATTRACTION)
    cascade = together(MODELS["cascade"], Draw(1, "d"), users, 0, ATTRACTION)
    assert (stopping[0] == cascade[0]).all() and (stopping[1] == cascade[1]).all()
    assert together(never, Draw(1, "d"), users, 0, ATTRACTION)[0].all()


@pytest.mark.parametrize("model", ["position", "cascade", "dbn"])
def test_who_has_left_looks_at_nothing(model: str) -> None:
    at_once = ClickModel(model=model, leave=1.0)  # type: ignore[arg-type]
    looks, clicks, weights = together(at_once, Draw(1, "l"), np.arange(500), 0, ATTRACTION)
    assert not looks[:, 1:].any() and not clicks[:, 1:].any() and not weights[:, 1:].any()
    assert looks[:, 0].all() and at_once.click_chances(ATTRACTION)[1:].sum() == 0


def test_the_weight_of_a_look_is_its_chance_where_positions_alone_decide() -> None:
    looks, _, weights = together(ClickModel(), Draw(1, "w"), np.arange(9), 0, ATTRACTION)
    assert (weights == 1 / np.arange(1, 6)).all() and not (looks == weights).all()
    looks, _, weights = together(MODELS["dbn"], Draw(1, "w"), np.arange(9), 0, ATTRACTION)
    assert (looks == weights).all()


def test_attraction_is_a_logit_of_agreement_and_quality() -> None:
    model = ClickModel(intercept=-1.5, alignment=3.0)
    for agreement, quality in ((0.0, 0.0), (1.0, 0.4), (-1.0, -2.0), (0.3, 1.1)):
        expected = 1 / (1 + math.exp(-(-1.5 + 3.0 * agreement + quality)))
        found = model.attraction(np.array([agreement]), np.array([quality]))[0]
        assert found == pytest.approx(expected, abs=2**-20) and found * 2**20 == round(found * 2**20)


@pytest.mark.parametrize("model", ["cascade", "dbn"])
def test_certain_clicks_leave_nothing_below(model: str) -> None:
    certain = ClickModel(model=model, satisfaction=1.0, continuation=0.5)  # type: ignore[arg-type]
    assert certain.click_chances(np.array([1.0, 0.3, 1.0])).tolist() == [1.0, 0.0, 0.0]


@pytest.mark.parametrize("name", MODELS)
def test_chances_of_whole_slates_add_up_and_are_those_simulated(name):
    model, slots = MODELS[name], 4
    patterns = np.array(list(product([False, True], repeat=slots)))
    attraction = np.tile(ATTRACTION[:slots], (len(patterns), 1))
    chances = np.exp(model.log_likelihood(attraction, patterns))
    assert chances.sum() == pytest.approx(1)
    assert chances @ patterns == pytest.approx(model.click_chances(attraction)[0])
    _, clicks, _ = together(model, DRAW, np.arange(20_000), 0, ATTRACTION[:slots])
    seen = np.bincount(clicks @ [8, 4, 2, 1], minlength=16)
    possible = chances > 0
    assert not seen[~possible].any()
    assert chisquare(seen[possible], chances[possible] * 20_000).pvalue > 0.001


def test_parameters_are_found_in_simulated_clicks():
    model, users = ClickModel(gamma=0.7), np.arange(4_000)
    agreement = 2 * DRAW.at("agreement").uniform(item=users[:, None], agent=np.arange(5)) - 1
    quality = np.zeros(agreement.shape)
    chances = model.attraction(agreement, quality)
    clicked = SlateReading(model, DRAW.at("fit"), users, 5).read(chances)

    def log_likelihood(values):
        other = ClickModel(gamma=values[0], intercept=values[1], alignment=values[2])
        return other.log_likelihood(other.attraction(agreement, quality), clicked)

    ranges = [Parameter("gamma", 0, 5), Parameter("intercept", -5, 5), Parameter("alignment", -5, 5)]
    found = maximise_likelihood(log_likelihood, ranges).estimates(0.99)
    for name in found:
        assert found[name].low < getattr(model, name) < found[name].high
    _, exam = fit_position_click_model(
        np.zeros((4_000, 5), dtype=int), clicked, 1
    )  # one item: examination by rates alone
    assert exam == pytest.approx(np.arange(1, 6) ** -found["gamma"].value, abs=0.06)
