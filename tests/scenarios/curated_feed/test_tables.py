"""The tables are what their page says, and plain pandas, Polars and DuckDB get our measures from them."""

import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest

from openiir.runs.post_run import measure
from openiir.runs.settings import Settings
from openiir.scenarios.curated_feed import views as surfaces

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "feed-tables.md").read_text()
EVALUATED = ("popularity", "history")
CONFIG: dict[str, Any] = {
    "evaluate": list(EVALUATED),
    "epsilon": 0.5,
    "beside": ["random", "popularity", "none"],
}
UNREFUSED = {"least_ess": 1.0, "largest_share": 1.0, "resamples": 100}
TYPES = {"text": "string", "bool": "bool", "float64": "double"}


def documented(k: int) -> dict[str, dict[str, str]]:
    """Table by table, columns with their types, patterns written out."""
    found: dict[str, dict[str, str]] = {}
    for name, body in re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL):
        rows = re.findall(r"^\| (`[^|]*) \| ([^|]*) \|", body, re.MULTILINE)
        columns: dict[str, str] = {}
        for names, kind in rows:
            for one in re.findall(r"`(\w+)`", names.split(" ... ")[0]):
                if " ... " in names:
                    many = [one.replace("_1", f"_{n}") for n in range(1, k + 1)]
                else:
                    many = [one.replace("NAME", ranker) for ranker in EVALUATED] if "NAME" in one else [one]
                columns |= dict.fromkeys(many, kind)
        if columns:
            found[name] = columns
    found["oracle"] = {
        name: found["impressions"][name] if kind == "as above" else kind
        for name, kind in found["oracle"].items()
    }
    return found


def parts(run: Any, table: str) -> list[Path]:
    return sorted((run.folder / "tables").glob(f"{table}-*.parquet"))


def frame(run: Any, table: str) -> pd.DataFrame:
    return pd.concat(map(pd.read_parquet, parts(run, table)), ignore_index=True)


def test_the_page_lists_the_columns_there_are(
    study: Callable[..., Path], sit: Callable[..., str], served: Callable[..., Any], tmp_path: Path
) -> None:
    """With a user answered for by a model, so that all tables are there."""
    from openiir.runs.settings import load_settings

    _, settings = served()
    file = study({**CONFIG, "promoted": 1})
    file.write_text('answers = "model"\n' + file.read_text() + '\n[model]\nname = "standin"\n')
    sit(file, tmp_path / "run", load_settings(settings))
    there: dict[str, dict[str, str]] = {}
    for part in sorted((tmp_path / "run" / "tables").glob("*.parquet")):
        schema = pq.read_schema(part)
        columns = {field.name: str(field.type) for field in schema}
        assert there.setdefault(part.stem.rsplit("-", 1)[0], columns) == columns, "all parts are alike"
    promised = {
        t: {c: TYPES.get(kind, kind) for c, kind in columns.items()} for t, columns in documented(4).items()
    }
    assert there == promised


def click_rates(run: Any) -> Mapping[str, dict[str, float]]:
    """By each of three libraries."""
    place = str(run.folder / "tables" / "impressions-*.parquet")
    rows = duckdb.sql(f"select feed, avg(click::int) from '{place}' group by feed").fetchall()
    by_polars = pl.read_parquet(place).group_by("feed").agg(pl.col("click").mean())
    return {
        "pandas": frame(run, "impressions").groupby("feed")["click"].mean().to_dict(),
        "polars": dict(by_polars.iter_rows()),
        "duckdb": dict(rows),
    }


def test_three_libraries_get_our_click_rates(feed: Callable[..., Any]) -> None:
    run = feed(CONFIG)
    for library, rates in click_rates(run).items():
        assert rates.keys() == {"main", "random", "popularity"}, library
        for name, rate in rates.items():
            assert rate == pytest.approx(
                run.value("click_rate" if name == "main" else f"{name}/click_rate")
            ), library


def test_propensities_are_those_of_the_formulas(feed: Callable[..., Any]) -> None:
    """Slate by slate, from rank, position and epsilon alone."""
    seen = frame(feed({**CONFIG, "users": 12}), "impressions")
    assert seen.groupby(["feed", "user", "session"])["candidates"].nunique().max() == 1
    for _, slate in seen.groupby(["feed", "user", "session"]):
        epsilon, top, length = slate["epsilon"].iloc[0], int(slate["shuffled"].iloc[0]), len(slate)
        as_ranked = True
        for r, row in enumerate(slate.itertuples(), 1):
            assert row.position == r
            as_ranked = as_ranked and row.det_rank == r
            orders = math.factorial(top - r) / math.factorial(top)
            assert row.p_item == pytest.approx((1 - epsilon) * (row.det_rank == r) + epsilon / top)
            assert row.p_prefix == pytest.approx((1 - epsilon) * as_ranked + epsilon * orders)
            assert row.p_shown == pytest.approx(
                (1 - epsilon) * (row.det_rank <= length) + epsilon * length / top
            )
        assert np.allclose(slate["p_slate"], slate["p_prefix"].iloc[-1])
        assert slate["explored"].iloc[0] or (slate["det_rank"] == slate["position"]).all()


def test_polars_gets_exposure_shares_and_gini(feed: Callable[..., Any]) -> None:
    run = feed(CONFIG)
    seen = pl.read_parquet(parts(run, "impressions")).filter(pl.col("feed") == "main")
    items = pl.read_parquet(parts(run, "catalogue"))
    mixes = seen.join(items, on="item")
    exposure = mixes.select(pl.sum(f"topic_{n}" for n in range(1, 5))).row(0)
    for n, amount in enumerate(exposure, 1):
        assert amount / sum(exposure) == pytest.approx(run.value(f"exposure_share.{n}"))
    counts = (
        items.join(seen.group_by("item").len(), on="item", how="left")["len"].fill_null(0).sort().to_list()
    )
    n = len(counts)
    gini = sum((2 * i - n - 1) * c for i, c in enumerate(counts, 1)) / (n * sum(counts))
    assert gini == pytest.approx(run.value("item_gini"))


def test_duckdb_gets_opinion_variance_and_regret(feed: Callable[..., Any]) -> None:
    run = feed(CONFIG)
    tables = f"{run.folder}/tables"
    variance = f"""
        with squares as (
            select topic, product_sum from '{tables}/products-*.parquet'
            where feed = 'main' and week = 3 and topic = other)
        select avg(product_sum / 30 - (belief_sum / 30) ** 2)
        from squares join (
            select topic, belief_sum from '{tables}/topics-*.parquet'
            where feed = 'main' and week = 3) using (topic)"""
    assert duckdb.sql(variance).fetchall()[0][0] == pytest.approx(run.value("opinion_variance"))
    regret = f"""
        select sum(p_click_ideal - p_click) / count(distinct ("user", session))
        from '{tables}/oracle-*.parquet' where feed = 'main'"""
    assert duckdb.sql(regret).fetchall()[0][0] == pytest.approx(run.value("regret"))


def test_aggregates_are_the_sums_of_impressions_where_all_are_kept(feed: Callable[..., Any]) -> None:
    run = feed(CONFIG)
    seen, weeks = frame(run, "impressions"), frame(run, "weeks")
    for (name, week), rows in seen.groupby(["feed", "week"]):
        told = weeks[(weeks["feed"] == name) & (weeks["week"] == week)].iloc[0]
        assert (len(rows), rows["click"].sum()) == (told["shown"], told["clicks"])
        assert rows.groupby(["user", "session"]).ngroups == told["slates"]
    last = frame(run, "items").query("week == 3").set_index(["feed", "item"]).sort_index()
    assert (seen.groupby(["feed", "item"]).size() == last["shown"]).all()
    assert (seen.groupby(["feed", "item"])["click"].sum() == last["clicks"]).all()


@pytest.mark.parametrize("name", EVALUATED)
def test_ips_from_the_export_alone_is_our_measure(feed: Callable[..., Any], name: str) -> None:
    run = feed(CONFIG)
    ours = measure(run.folder, {"ope": {"ranker": name, **UNREFUSED}})
    seen = frame(run, "impressions").query("feed == 'main'")
    slates = seen.groupby(["user", "session"]).ngroups
    weight = (seen["item"] == seen[f"would_{name}"]) / seen["p_item"]
    assert (weight * seen["click"]).sum() / slates == pytest.approx(ours[f"ope.{name}.iips"].value)
    per_position = (weight * seen["click"]).groupby(seen["position"]).sum() / weight.groupby(
        seen["position"]
    ).sum()
    assert per_position.sum() == pytest.approx(ours[f"ope.{name}.snips"].value)
    truth = frame(run, "oracle").query("feed == 'main'")[f"p_click_{name}"].sum() / slates
    assert truth == pytest.approx(ours[f"ope.{name}.truth"].value)


def test_a_ranker_evaluated_on_itself_would_have_served_its_own_order(feed: Callable[..., Any]) -> None:
    run = feed(
        {"ranker": "popularity", "evaluate": ["popularity"], "epsilon": 0.5}, settings=Settings(block=7)
    )
    seen = run.rows("impressions")
    as_ranked = seen["det_rank"] == seen["position"]
    assert as_ranked.any() and not as_ranked.all()
    assert ((seen["item"] == seen["would_popularity"]) == as_ranked).all()


def test_a_feed_bears_one_name_in_every_view(feed: Callable[..., Any]) -> None:
    log = feed({"users": 6, "ranker": "history"}).log
    names = ["main (history)", "random", "no feed"]
    assert [row[0] for row in surfaces.feeds(log).rows] == names
    assert [*surfaces.variance(log).lines] == names
    assert [*surfaces.clicks(log).lines] == names[:2]
    assert surfaces.topics(log).names[-3:] == tuple(f"{name}: belief" for name in names)


def test_what_users_were_shown_is_listed_with_what_they_opened(feed: Callable[..., Any]) -> None:
    run = feed({"users": 6})
    rows, logged = surfaces.list_slates(run.log).rows, frame(run, "impressions").query("feed == 'main'")
    assert len(rows) == len(logged)
    assert [row[6] for row in rows].count("yes") == logged["click"].sum()
    own = surfaces.list_slates(run.log, "user-000002").rows
    mine = logged.query("user == 2").sort_values(["session", "position"])
    assert [row[3] for row in own] == mine["position"].tolist()
    assert [row[6] == "yes" for row in own] == mine["click"].tolist()
