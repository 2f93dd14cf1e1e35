"""Metrics of dialogues with a recommender: outcome, conduct of both sides, and lexical diversity."""

from openiir.scenarios.conversational.metrics.acts import (
    act_counts,
    symmetric_kl,
    transition_distance,
    transitions,
)
from openiir.scenarios.conversational.metrics.conduct import (
    constraint_coverage,
    ignored_critique_rate,
    repeated_question_rate,
)
from openiir.scenarios.conversational.metrics.language import (
    distinct_n,
    self_bleu,
    spoken_words,
    vocabulary_overlap,
)
from openiir.scenarios.conversational.metrics.outcome import (
    Rewards,
    configured_reward,
    recall_at,
    reciprocal_rank,
    restricted_mean_turns,
    reward_per_length,
    round_ratio,
    success_within,
    target_rank,
    turns_to_target,
    user_act_ratio,
)
from openiir.scenarios.conversational.metrics.said import PlainAct, PlainUtterance, plain_utterances, rounds

__all__ = [
    "PlainAct",
    "PlainUtterance",
    "Rewards",
    "act_counts",
    "configured_reward",
    "constraint_coverage",
    "distinct_n",
    "ignored_critique_rate",
    "plain_utterances",
    "recall_at",
    "reciprocal_rank",
    "repeated_question_rate",
    "restricted_mean_turns",
    "reward_per_length",
    "round_ratio",
    "rounds",
    "self_bleu",
    "spoken_words",
    "success_within",
    "symmetric_kl",
    "target_rank",
    "transition_distance",
    "transitions",
    "turns_to_target",
    "user_act_ratio",
    "vocabulary_overlap",
]
