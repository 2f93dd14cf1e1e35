"""Views of a run: tables and line charts of each experiment, timelines of visits, and interviews."""

from collections.abc import Callable

from openiir.kit.text_tables import add_help
from openiir.plugin import Interview, Log, Surface
from openiir.scenarios.recommender.run.actions import DataRead
from openiir.scenarios.recommender.views import series as lines
from openiir.scenarios.recommender.views import tables
from openiir.scenarios.recommender.views.timeline import after_run_question, list_statements, visit_timeline


def _is_experiment(name: str, would_show: str, *also: str) -> Callable[[Log], bool | str]:
    """Build a test whether a run is of this experiment, with the reason if not."""

    def shows(log: Log) -> bool | str:
        experiment = log.study["config"].get("experiment", "visits")
        return experiment == name or (
            f'would show {would_show}, and this run is of the experiment "{experiment}"; '
            f"openiir run recommender --set {' --set '.join((f'config.experiment={name}', *also))} fills it"
        )

    return shows


_OF_VISITS = _is_experiment("visits", "visits to recommenders")
_OF_DISCRIMINATION = _is_experiment(
    "discrimination", "how well visitors know the titles that they met", "config.users=30"
)
_OF_RATING = _is_experiment("rating", "how close stated ratings are to real ones")


def _has_data(log: Log) -> bool | str:
    """Whether the data set was read, with the reason if not."""
    return any(True for _ in log.events(DataRead.kind)) or "the data set was not read yet"


def _has_battery(log: Log) -> bool | str:
    """Whether a run asked for batteries of ratings between pages, with the reason if not."""
    return bool(log.parts("battery")) or (
        "would show how ratings move with what was seen, and nobody was asked between pages; "
        "openiir run recommender --set 'config.battery.pages=[0, 2]' fills it"
    )


def _has_demographics(log: Log) -> bool | str:
    """Whether the data set has its users' demographics, with the reason if not."""
    return bool(tables.personas_table(log).rows) or (
        "would show how well matched personas fit what users say of themselves; openiir run "
        "recommender --set "
        "config.experiment=personas fills it, for a data set that tells its users' ages and occupations"
    )


_HELP = """
comparison | Means over visitors with their 95 % intervals: share taken, titles liked, when they left,
    satisfaction.
pages | Share of the titles on a page that were taken, with 95 % intervals over the visitors who reached it.
    Who finds little leaves early, so that a line may rise although nobody takes more. Pages that fewer than
    20 visitors reached are left out; in a study with fewer than 40, those that fewer than half reached.
groups | Visitors in groups of similar personas, who need not share an age or occupation: titles shown in a
    visit, mean rating.
lists | nDCG@10 and F1@10 of each recommender, judged by held-out ratings (offline) and by what visitors liked
    (simulated).
visit | What each visitor saw, took (✓) and passed over (✗), how it felt, and why it left.
discrimination | How well visitors, and simple baselines, tell titles that they rated from titles that they
    never met.
accuracy | Accuracy with m titles not met for each that was, with the decision threshold fitted at 1:1.
rating | Stated ratings of held-out titles against the real ones, beside simple baselines, with coverage.
distribution | How often each number of stars was given: by the real users and by each way to state a rating.
exposure | Ratings of one random sample of titles before a visit, and again after so many pages.
thumbnails | Click rate with each picture, and its difference from the poster.
coherence | Whether visitors take what they asked for and leave the rest.
personas | Matched personas against what users say of themselves: accuracy beside naming the commonest class
    for everybody.
data | Users, items and ratings read from the data set, and how many were dropped for which reason.
"""


SURFACES: tuple[Surface | Interview, ...] = add_help(
    _HELP,
    Surface("comparison", "table", "Recommenders compared", tables.comparison_table, shows=_OF_VISITS),
    Surface("pages", "series", "Share taken by page", lines.pages_series, shows=_OF_VISITS),
    Surface("groups", "table", "Groups of personas", tables.groups_table, shows=_OF_VISITS),
    Surface("lists", "table", "Top of the lists", tables.lists_table, group="process", shows=_OF_VISITS),
    Surface(
        "visit",
        "timeline",
        "Visits",
        visit_timeline,
        per_agent=True,
        group="process",
        live="append",
        shows=_OF_VISITS,
    ),
    Surface(
        "discrimination",
        "table",
        "Items met and not met",
        tables.discrimination_table,
        shows=_OF_DISCRIMINATION,
    ),
    Surface("accuracy", "series", "Accuracy by ratio", lines.accuracy_series, shows=_OF_DISCRIMINATION),
    Surface("rating", "table", "Errors of ratings", tables.rating_table, shows=_OF_RATING),
    Surface(
        "distribution", "series", "Shares of the ratings 1 to 5", lines.distribution_series, shows=_OF_RATING
    ),
    Surface("exposure", "series", "Mean rating by genre", lines.exposure_series, shows=_has_battery),
    Surface(
        "thumbnails",
        "table",
        "Clicks by variant of the picture",
        tables.thumbnails_table,
        shows=_is_experiment("thumbnails", "which picture of a title is clicked"),
    ),
    Surface(
        "coherence",
        "table",
        "Asked for and taken",
        tables.coherence_table,
        shows=_is_experiment("coherence", "whether visitors take what they asked for"),
    ),
    Surface("personas", "table", "Personas matched", tables.personas_table, shows=_has_demographics),
    Surface("data", "table", "Data read", tables.data_table, group="data", shows=_has_data),
    Interview("chat", "Ask a visitor about its visits", after_run_question, list_statements),
)
