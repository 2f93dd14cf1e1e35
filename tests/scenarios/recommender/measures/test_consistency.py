import itertools

import numpy as np
import pytest

from openiir.plugin import InputError
from openiir.scenarios.recommender.measures.consistency import (
    check_discrimination,
    check_rating_errors,
    check_visits,
    implied_share,
    is_attainable,
    parse_printed,
    refuse,
)

SHARE = {1: 1 / 2, 2: 1 / 3, 3: 1 / 4, 9: 1 / 10}

# SimUSER, Table 1, MovieLens: negatives a positive, accuracy, precision, recall, F1.
SIMUSER = [
    (1, "0.7834", "0.7942", "0.7455", "0.7691"),
    (2, "0.7533", "0.7811", "0.5666", "0.6566"),
    (3, "0.7412", "0.7989", "0.5124", "0.6263"),
    (9, "0.6776", "0.8096", "0.3420", "0.4794"),
]
AGENT4REC = [
    (1, "0.6912", "0.7460", "0.6914", "0.6982"),
    (2, "0.6466", "0.7602", "0.5058", "0.5874"),
    (3, "0.6675", "0.7623", "0.4562", "0.5433"),
    (9, "0.6175", "0.7753", "0.2139", "0.3232"),
]
# Agent4Rec run again by one of its users (issue 5 of its repository).
RERUN = [
    (1, ".599", ".635", ".453", ".501"),
    (2, ".630", ".446", ".437", ".415"),
    (3, ".663", ".367", ".436", ".373"),
    (9, ".705", ".168", ".431", ".223"),
]
# Means over 1,000 users of MovieLens-1M: EASE, a popularity threshold, a combination of scorers, predicted
# ratings.
MEASURED = [
    (1, ".857", ".882", ".834", ".850"),
    (2, ".865", ".807", ".836", ".810"),
    (3, ".872", ".732", ".829", ".763"),
    (9, ".878", ".492", ".826", ".591"),
    (1, ".772", ".750", ".832", ".783"),
    (9, ".725", ".260", ".824", ".387"),
    (1, ".866", ".864", ".880", ".866"),
    (3, ".864", ".701", ".872", ".765"),
    (1, ".637", ".665", ".530", ".575"),
]


@pytest.mark.parametrize(("m", "accuracy", "precision", "recall", "f1"), [*SIMUSER, *AGENT4REC])
def test_the_papers_rows_are_refused_as_pooled_counts(m, accuracy, precision, recall, f1):
    found = check_discrimination(accuracy, precision, recall, SHARE[m], f1, pooled=True)
    assert any(one.rule == "share" and one.certain for one in found)
    with pytest.raises(InputError, match="cannot all be true.*imply"):
        refuse(found, f"Table 1 at 1:{m}")


@pytest.mark.parametrize("row", [*SIMUSER[1:], *AGENT4REC])
def test_all_but_one_are_refused_as_means_over_users(row):
    m, accuracy, precision, recall, f1 = row
    (share,) = [
        one for one in check_discrimination(accuracy, precision, recall, SHARE[m], f1) if one.rule == "share"
    ]
    assert not share.certain and "averaging" in share.text
    assert not check_discrimination(*SIMUSER[0][1:4], SHARE[1], SIMUSER[0][4])


@pytest.mark.parametrize(("m", "accuracy", "precision", "recall", "f1"), [*RERUN, *MEASURED])
def test_what_was_measured_passes(m, accuracy, precision, recall, f1):
    share = 7 / 20 if m == 2 else SHARE[m]  # of 20 items at 1:2, 7 are positive
    assert not check_discrimination(accuracy, precision, recall, share, f1)


@pytest.mark.parametrize(
    ("m", "accuracy", "precision", "recall", "f1"), [*SIMUSER, *AGENT4REC, *RERUN, *MEASURED]
)
def test_at_nine_to_one_no_users_at_all_have_the_papers_means(m, accuracy, precision, recall, f1):
    found = check_discrimination(accuracy, precision, recall, SHARE[m], f1, items=20)
    impossible = m == 9 and (m, accuracy, precision, recall, f1) in (SIMUSER[-1], AGENT4REC[-1])
    assert any(one.rule == "users" and one.certain for one in found) == impossible


@pytest.mark.parametrize("left_out", [True, False])
def test_the_means_of_any_users_can_be_had(left_out):
    rng = np.random.default_rng(6)
    for _ in range(20):
        k, n = 2, 9
        tp, fp = rng.integers(0, k + 1, 12), rng.integers(0, n - k + 1, 12) * (rng.random(12) < 0.5)
        said = tp + fp > 0
        precision = np.divide(tp, tp + fp, out=np.zeros(12), where=said)
        means = (
            (1 - (k - tp + fp) / n).mean(),
            (precision[said] if left_out else precision).mean(),
            (tp / k).mean(),
        )
        assert is_attainable(*map(float, means), n, k) and is_attainable(*(f"{x:.2f}" for x in means), n, k)


def test_what_no_users_have_is_known_as_such():
    assert not is_attainable(0.9, 0.2, 1.0, 10, 5)  # all positives found and one negative: precision is 5/6
    assert is_attainable(0.9, 5 / 6, 1.0, 10, 5)
    with pytest.raises(InputError, match="both classes"):
        is_attainable(0.9, 0.2, 1.0, 10, 0)


def test_the_shares_the_papers_imply():
    middle = [sum(implied_share(*row[1:4])) / 2 for row in (*SIMUSER, *RERUN)]
    assert middle == pytest.approx([0.484, 0.417, 0.420, 0.437, 0.497, 0.334, 0.256, 0.109], abs=6e-4)


def test_f1_is_at_most_the_harmonic_mean():
    assert [one.rule for one in check_discrimination(*SIMUSER[2][1:4], SHARE[3], SIMUSER[2][4])] == [
        "f1",
        "share",
    ]
    rng = np.random.default_rng(2)
    for _ in range(50):
        tp, fp, fn = rng.integers(0, 11, (3, 30))
        tp += 1
        p, r, f1 = tp / (tp + fp), tp / (tp + fn), 2 * tp / (2 * tp + fp + fn)
        assert f1.mean() <= 2 * p.mean() * r.mean() / (p.mean() + r.mean()) + 1e-12


def test_no_pooled_counts_are_refused_however_they_are_rounded():
    rng = np.random.default_rng(1)
    for tp, fp, fn, tn in rng.integers(0, 40, (300, 4)):
        n = tp + fp + fn + tn
        if tp and n:
            exact = ((tp + tn) / n, tp / (tp + fp), tp / (tp + fn))
            f1 = 2 * tp / (2 * tp + fp + fn)
            assert not check_discrimination(*exact, (tp + fn) / n, f1, pooled=True)
            for digits in (1, 2, 3, 4):
                texts = [f"{x:.{digits}f}" for x in (*exact, f1)]
                assert not check_discrimination(*texts[:3], (tp + fn) / n, texts[3], pooled=True), texts


def test_the_interval_of_shares_is_that_of_a_grid():
    row = (".663", ".367", ".436")
    low, high = implied_share(*row)
    grid = [np.linspace(p.low, p.high, 9) for p in map(parse_printed, row)]
    shares = [(1 - a) / (1 - r * (2 - 1 / p)) for a, p, r in itertools.product(*grid)]
    assert low == pytest.approx(min(shares), abs=1e-9) and high == pytest.approx(max(shares), abs=1e-9)


def test_what_leaves_the_share_open_is_not_refused():
    assert implied_share("1.00", "1.00", "1.00") == (0, 1) and implied_share(0.5, 0.0, 0.0) == (0, 1)
    assert not check_discrimination(1.0, 1.0, 1.0, 0.5, 1.0, pooled=True)
    for precision, recall, rules in ((0.0, 0.4, ["zero"]), (0.4, 0.0, ["zero"]), (0.0, 0.0, [])):
        assert [one.rule for one in check_discrimination(0.5, precision, recall, 0.5)] == rules


def test_chances_are_within_0_and_1():
    assert [one.rule for one in check_discrimination("1.02", ".5", ".5", 0.5)] == ["range"]
    assert [one.rule for one in check_visits("-0.2", "0.1")] == ["range", "like"]
    assert [one.rule for one in check_rating_errors(-1.0, 0.5)] == ["range"]
    assert not check_discrimination("1.00", ".999", "1.000", 0.5)


# RMSE and MAE of Tables 2 and 7, three data sets a row; predictions of agents are whole stars.
AGENTS = {
    "Agent4Rec": ("0.7612", "0.7143", "0.8788", "0.6712", "0.7577", "0.6880"),
    "sim, persona": ("0.5341*", "0.4671*", "0.5919*", "0.4562*", "0.6153*", "0.5686*"),
    "zero": ("0.6872", "0.5981", "0.7103", "0.6667", "0.7089", "0.6928"),
    "zero, persona": ("0.6112", "0.5353", "0.6698", "0.5597", "0.6844", "0.6392"),
    "sim": ("0.6012", "0.5421", "0.6811", "0.5605", "0.6912", "0.6420"),
}


@pytest.mark.parametrize("name", AGENTS)
def test_rating_errors_below_their_squares_are_refused(name):
    row = AGENTS[name]
    rules = [[one.rule for one in check_rating_errors(row[i], row[i + 1], whole=True)] for i in (0, 2, 4)]
    assert rules == [["mse"], [] if name == "Agent4Rec" else ["mse"], ["mse"]]
    assert not check_rating_errors(row[0], row[1])


def test_an_rmse_below_the_mae_is_refused_whatever_the_errors():
    assert [one.rule for one in check_rating_errors("0.6387", "0.6551")] == ["rmse"]
    assert not check_rating_errors("0.6654", "0.6481")
    assert not check_rating_errors("1.1021", "0.7632", whole=True) and not check_rating_errors("0.8", "0.84")


def test_whole_errors_of_any_kind_pass():
    rng = np.random.default_rng(4)
    for _ in range(100):
        errors = rng.integers(-4, 5, rng.integers(1, 40)) * (rng.random() < 0.8)
        rmse, mae = float(np.sqrt((errors**2).mean())), float(np.abs(errors).mean())
        assert not check_rating_errors(rmse, mae, whole=True)
        assert not check_rating_errors(f"{rmse:.3f}", f"{mae:.3f}", whole=True)


# Table 3: P_view, N_like, P_like, N_exit; Table 5: P_view and P_like.
TABLE3 = [
    ("0.298", "3.17", "0.248", "2.87"),
    ("0.401", "4.12", "0.379", "2.89"),
    ("0.469", "5.98", "0.446", "3.09"),
    ("0.521", "5.44", "0.458", "3.21"),
    ("0.552", "5.50", "0.451", "3.34"),
]


@pytest.mark.parametrize(("p_view", "n_like", "p_like", "n_exit"), TABLE3)
def test_visits_that_can_be_pass(p_view, n_like, p_like, n_exit):
    assert not check_visits(p_view, p_like, n_like, n_exit, items_a_page=4)


def test_visits_that_cannot_be_are_refused():
    assert [one.rule for one in check_visits("0.467", "0.487")] == [
        "like"
    ]  # Table 5, MF with a positive review
    assert not check_visits("0.48", "0.484")
    assert [one.rule for one in check_visits(".5", ".4", "9.1", "2.2", 4)] == ["shown"]


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("0.5", 0.45, 0.55),
        (".50", 0.495, 0.505),
        ("67.6 %", 0.6755, 0.6765),
        ("3", 2.5, 3.5),
        ("0.4671*", 0.46705, 0.46715),
    ],
)
def test_printed_numbers(text, low, high):
    assert parse_printed(text)[:2] == pytest.approx((low, high), abs=1e-8)
    assert parse_printed(0.5)[:2] == pytest.approx((0.5, 0.5), abs=1e-8)


@pytest.mark.parametrize("bad", ["", ".", "N/A", "0.5.1", "1e3", float("nan"), float("inf")])
def test_what_is_no_number_is_refused(bad):
    with pytest.raises(InputError, match="no printed number|cannot be judged"):
        parse_printed(bad)
