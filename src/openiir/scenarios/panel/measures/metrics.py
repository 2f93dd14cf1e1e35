"""Measures of a panel, from the log alone: argument graph, turn-taking, convergence, Delphi, ranking."""

from collections import Counter
from collections.abc import Mapping

import numpy as np
from pydantic import Field

from openiir.kit import measures
from openiir.kit.text_tables import read_definitions
from openiir.plugin import ConfigTable, Log, Measure, int_sum
from openiir.plugin.arguments import graph_measures
from openiir.scenarios.panel.measures.debate import Debate, list_clashes
from openiir.scenarios.panel.run.actions import (
    Estimated,
    Passed,
    RankedIdeas,
    RankingOutcome,
    Spoke,
    SweepFeedback,
)

DEFINITIONS = read_definitions("""
claims | claims | number of claims in the argument graph | 0 or more
edges | relations | number of relations between claims | 0 or more
supports | supports | number of relations in which a claim supports another | 0 or more
counters | counters | number of relations in which a claim speaks against another | 0 or more
refines | refines | number of relations in which a claim makes another more precise | 0 or more
questions | questions | number of relations in which a claim questions another | 0 or more
counter_share | share of counters | counters over all relations | 0 to 1
unanswered_counter_rate | counters unanswered | share of counters to which nobody replied | 0 to 1
evidence_rate | claims with a source | share of claims that cite a source | 0 to 1
longest_path | longest exchange | number of relations on the longest chain of claims | 0 or more
cross_stance_reply_share | replies across sides | share of relations that join opposite sides, of those
    between claims that take sides | 0 to 1
ei_index | E-I index | replies to the other camp less replies to the own, over both: -1 is a camp that talks
    to itself alone (Krackhardt & Stern 1988) | -1 to 1
redundancy_rate | repeated claims | restatements over claims and restatements | 0 to 1
coverage | sources cited | share of the world's sources that a claim cites | 0 to 1
disagreements_reported | disputes reported | share of the pairs of speakers in open dispute that the report
    names | 0 to 1
utterances | utterances | number of times that somebody spoke | 0 or more
turn_gini | inequality of turns | Gini coefficient of panelists' numbers of utterances: 0 is equal shares
    | 0 to 1
first_exhaustion_step | first budget spent | first step at which a panelist had no tokens left | 0 or more
variance_ratio | variance left | variance of stances at the end over that at the start: 0 is consensus,
    above 1 further apart | 0 or more
pairwise_distance_* | mean distance, {} | mean distance between two of the panelists' stances, -1 to 1, at
    the step named | 0 to 2
r_wg_* | r_wg, {} | agreement within the group against evenly spread stances: 0 as by chance or less, 1 all
    alike (James, Demaree & Wolf 1984) | 0 to 1
esteban_ray_* | Esteban-Ray polarisation, {} | how far stances form large groups far from each other: 0 is
    consensus (Econometrica 1994) | 0 or more
bimodality_* | bimodality, {} | bimodality coefficient of the panelists' stances, -1 to 1: 0.555 is an even
    spread, above it may be two camps (Pfister et al. 2013) | 0 or more
polarisation_* | polarisation, {} | sum of squared distances from the mean of the panelists' stances, -1 to
    1; it grows with the number of panelists (Musco et al., WWW 2018) | 0 or more
disagreement_* | disagreement of repliers, {} | sum of squared differences in stance over pairs of panelists
    whose claims are joined (Musco et al., WWW 2018) | 0 or more
agreement_* | van der Eijk's A, {} | agreement of stances over an ordered scale: 1 all in one place, 0 an
    even spread, -1 two poles (Quality & Quantity 2001) | -1 to 1
delphi_sweeps | sweeps | number of rounds of estimates | 0 or more
delphi_stable | stable | 1 if the last sweep hardly moved the estimates, else 0 | 0 to 1
delphi_median_* | median estimate, {} | median of the estimates, in the sweep named | 0 to 100
delphi_iqr_* | interquartile range, {} | range of the middle half of the estimates | 0 to 100
delphi_cv_* | coefficient of variation, {} | standard deviation of the estimates over their mean | 0 or more
delphi_agreement_* | agreement of estimates, {} | share of estimates close to the median | 0 to 1
delphi_consensus | consensus | 1 if enough of the last estimates agree, else 0 (Diamond et al. 2014)
    | 0 to 1
ideas_kept | ideas kept | number of ideas that were ranked | 0 or more
ideas_shortfall | ideas missing | number of ideas fewer than were asked for | 0 or more
ranking_concordance | Kendall's W | agreement of the panelists' rankings: 0 none, 1 one order | 0 to 1
""")
"""Labels and definitions of the measures, by name; * stands for the part that {} takes up."""


class PanelMeasuring(ConfigTable):
    """Settings of the panel's measures, as `openiir measure RUN --set` takes them."""

    points: int = Field(5, ge=3, le=101)
    """Number of points into which stances are binned for r_wg, A and Esteban-Ray."""
    within: float = Field(10.0, gt=0, le=100)
    """Largest distance from the median at which a Delphi estimate agrees with it."""
    agreed: float = Field(0.75, ge=0, le=1)
    """Share of agreeing estimates that counts as consensus (Diamond et al., J. Clin. Epidemiol. 2014)."""


def panel_measures(log: Log) -> Mapping[str, Measure]:
    """Compute all measures by name: NaN with a reason if undefined; unused round types are left out."""
    restated = int_sum(1 for _ in log.events("restated"))
    clusters = {chunk.id: chunk.source for chunk in log.chunks()}
    found = dict(graph_measures(log.claims(), log.edges(), restated, clusters))
    found["disagreements_reported"] = _disagreements_reported(log)
    by = log.options(PanelMeasuring)
    return found | _turns(log) | _stances(log, by.points) | _delphi(log, by) | _ranking(log)


def _turns(log: Log) -> dict[str, Measure]:
    counts = Counter(event.actor for event, _ in Spoke.read(log))
    spent = [event.step for event, passed in Passed.read(log) if "budget" in passed.reason]
    spent += [event.step for event in log.events("asked") if event.payload["outcome"] == "exhausted"]
    none = Measure(float("nan"), "no budget ran out")
    return {
        "utterances": Measure(float(counts.total())),
        "turn_gini": measures.gini.measure([counts.get(p.id, 0) for p in log.personas]),
        "first_exhaustion_step": Measure(float(min(spent))) if spent else none,
    }


def _stances(log: Log, count: int) -> dict[str, Measure]:
    rows = log.table("stances")
    if not rows:
        return {}
    first, last = ([row["stance"] for row in rows if row["step"] == rows[n]["step"]] for n in (0, -1))
    found = {"variance_ratio": measures.variance_ratio.measure(last, first)}
    for name, x in (("first", first), ("last", last)):
        points = np.linspace(-1, 1, count)
        nearest = np.floor((np.asarray(x) + 1) / 2 * (count - 1) + 0.5)
        bins = np.clip(nearest, 0, count - 1).astype(np.int64)
        filled = np.bincount(bins, minlength=count)
        found |= {
            f"pairwise_distance_{name}": measures.mean_pairwise_distance.measure(x),
            f"r_wg_{name}": measures.r_wg.measure(bins, count),
            f"agreement_{name}": measures.agreement.measure(filled),
            f"esteban_ray_{name}": measures.esteban_ray.measure(filled, points),
            f"bimodality_{name}": measures.bimodality.measure(x),
            f"polarisation_{name}": measures.polarisation.measure(x),
            f"disagreement_{name}": measures.disagreement.measure(x, _replies(log)),
        }
    return found


def _replies(log: Log) -> np.ndarray:
    """Build a matrix of panelists with 1 for each pair whose claims are joined by an edge."""
    place = {p.id: n for n, p in enumerate(log.personas)}
    speaker = {claim.id: place[claim.speaker] for claim in log.claims() if claim.speaker in place}
    ties = np.zeros((len(place), len(place)))
    for edge in log.edges():
        a, b = speaker[edge.source], speaker[edge.target]
        if a != b:
            ties[a, b] = ties[b, a] = 1.0
    return ties


def _disagreements_reported(log: Log) -> Measure:
    """Compute the share of pairs of speakers in open dispute that the report's disagreements name."""
    claims = {claim.id: claim.speaker for claim in log.claims()}
    disputes = {
        frozenset((claims[e.source], claims[e.target]))
        for e in log.edges()
        if e.type == "counters" and claims[e.source] != claims[e.target]
    }
    if not disputes:
        return Measure(float("nan"), "nobody countered anybody")
    named = {frozenset(claim.speaker for claim in pair) for _, _, *pair in list_clashes(Debate(log))}
    return Measure(len(disputes & named) / len(disputes))


def _delphi(log: Log, by: PanelMeasuring) -> dict[str, Measure]:
    """Compute the Delphi measures of the first and last sweep, on a scale of 0 to 100, if there were any."""
    sweeps: dict[int, dict[str, int]] = {}
    for event, given in Estimated.read(log):
        sweeps.setdefault(event.step, {})[event.actor or ""] = given.value
    if not sweeps:
        return {}
    fed = [f for _, f in SweepFeedback.read(log)]
    found = {"delphi_sweeps": Measure(float(len(sweeps))), "delphi_stable": Measure(float(fed[-1].stable))}
    for name, step in (("first", min(sweeps)), ("last", max(sweeps))):
        values = list(sweeps[step].values())
        median = float(np.median(values))
        low, high = median - by.within, median + by.within
        found |= {
            f"delphi_median_{name}": Measure(median),
            f"delphi_iqr_{name}": measures.iqr.measure(values),
            f"delphi_cv_{name}": measures.coefficient_of_variation.measure(values),
            f"delphi_agreement_{name}": measures.percent_agreement.measure(values, low, high),
        }
    last = found["delphi_agreement_last"]
    found["delphi_consensus"] = Measure(float(last.value >= by.agreed)) if last.defined else last
    return found


def _ranking(log: Log) -> dict[str, Measure]:
    """Compute the ranking measures: concordance of the ballots, and how many ideas are missing at the end."""
    ballots = [ranked.order for _, ranked in RankedIdeas.read(log)]
    outcomes = [outcome for _, outcome in RankingOutcome.read(log)]
    if not outcomes:
        return {}
    ideas = sorted({name for order in ballots for name in order})
    ranks = [[order.index(name) + 1 for name in ideas] for order in ballots]
    return {
        "ideas_kept": Measure(float(len(ideas))),
        "ideas_shortfall": Measure(float(outcomes[-1].shortfall)),
        "ranking_concordance": measures.kendalls_w.measure(ranks),
    }
