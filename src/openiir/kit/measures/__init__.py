"""Measures of opinions, exposure, inequality, agreement and choice.

Each `Statistic` gives a float, NaN where it is undefined; its `.measure(...)` gives the reason as well.
Measures of rows give an array with NaN where a row has no value; `Average.of` drops and counts those.
"""

from openiir.kit.measures.average import Average
from openiir.kit.measures.choice import borda, coverage, greedy_coverage
from openiir.kit.measures.compatibility import (
    HelpAndHarm,
    compatibility,
    measure_help_and_harm,
    rank_biased_overlap,
)
from openiir.kit.measures.consensus import coefficient_of_variation, iqr, kendalls_w, percent_agreement
from openiir.kit.measures.discounted_gain import discounts, ndcg, random_ndcg
from openiir.kit.measures.exposure import jensen_shannon, kl, row_shares, user_entropies
from openiir.kit.measures.gap import GapTrend, gap_trend
from openiir.kit.measures.generations import (
    GenerationMatrix,
    build_generation_matrix,
    cyclic_triads,
    find_disengagement,
    nash_average,
)
from openiir.kit.measures.inequality import atkinson, entropy, gini, hill_number, palma, theil, theil_between
from openiir.kit.measures.judgements import (
    brier_parts,
    brier_score,
    calibration_error,
    discriminate_pairs,
    draw_calibration_null,
    recall_at_false_positives,
)
from openiir.kit.measures.overlap import Overlap, expected_jaccard, pairwise_jaccard
from openiir.kit.measures.population import (
    drift,
    issue_alignment,
    opinion_covariance,
    opinion_variance,
    total_variance,
)
from openiir.kit.measures.spread import (
    agreement,
    bimodality,
    disagreement,
    esteban_ray,
    mean_pairwise_distance,
    polarisation,
    r_wg,
    variance_ratio,
)
from openiir.kit.measures.survival import (
    CollapseOrder,
    SurvivalCurve,
    collapse_times,
    kaplan_meier,
    order_collapses,
    restricted_mean,
)
from openiir.kit.statistics.order import kendall_tau

__all__ = [
    "recall_at_false_positives",
    "draw_calibration_null",
    "discriminate_pairs",
    "calibration_error",
    "brier_score",
    "brier_parts",
    "Average",
    "HelpAndHarm",
    "CollapseOrder",
    "GapTrend",
    "GenerationMatrix",
    "Overlap",
    "SurvivalCurve",
    "agreement",
    "atkinson",
    "bimodality",
    "borda",
    "collapse_times",
    "compatibility",
    "build_generation_matrix",
    "coverage",
    "cyclic_triads",
    "disagreement",
    "discounts",
    "drift",
    "entropy",
    "esteban_ray",
    "expected_jaccard",
    "find_disengagement",
    "gap_trend",
    "gini",
    "greedy_coverage",
    "hill_number",
    "iqr",
    "issue_alignment",
    "jensen_shannon",
    "kaplan_meier",
    "kendall_tau",
    "kendalls_w",
    "kl",
    "mean_pairwise_distance",
    "measure_help_and_harm",
    "nash_average",
    "ndcg",
    "opinion_covariance",
    "opinion_variance",
    "order_collapses",
    "pairwise_jaccard",
    "palma",
    "percent_agreement",
    "polarisation",
    "r_wg",
    "random_ndcg",
    "rank_biased_overlap",
    "restricted_mean",
    "row_shares",
    "theil",
    "theil_between",
    "total_variance",
    "user_entropies",
    "variance_ratio",
    "coefficient_of_variation",
]
