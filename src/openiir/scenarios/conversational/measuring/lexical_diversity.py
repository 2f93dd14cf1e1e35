"""Lexical diversity of simulated users, measured on equally many tokens for each simulator."""

from collections import Counter

from openiir.plugin import Log, Measure, int_sum
from openiir.scenarios.conversational.actions import FAILED, DialogueLogged
from openiir.scenarios.conversational.measuring.averages import order_names
from openiir.scenarios.conversational.measuring.dialogue_rows import RunSetting
from openiir.scenarios.conversational.metrics import distinct_n, self_bleu, spoken_words

TOKENS = 2_000
"""Maximum number of tokens for distinct n-grams; fewer if a simulator produced less."""
TEXTS = 200
"""Number of texts, from the first on, compared by self-BLEU."""


def wording_measures(log: Log, setting: RunSetting) -> dict[str, Measure]:
    """Compute `distinct-2[SIMULATOR]` and `self-bleu[SIMULATOR]` over a simulator's words with all systems."""
    said: dict[str, list[list[str]]] = {}
    full: Counter[str] = Counter()
    for event in log.events(DialogueLogged.kind):
        simulator = event.payload["simulator"]
        texts = said.setdefault(simulator, [])
        if event.payload["end"] in FAILED or (full[simulator] >= TOKENS and len(texts) >= TEXTS):
            continue
        new = [spoken_words(one["text"]) for one in event.payload["utterances"] if one["speaker"] == "user"]
        texts += new
        full[simulator] += int_sum(map(len, new))
    budget = min([TOKENS, *full.values()])
    found: dict[str, Measure] = {}
    for simulator in order_names(setting.simulators, said):
        texts = said[simulator]
        found[f"distinct-2[{simulator}]"] = distinct_n.measure(texts, 2, budget)
        found[f"self-bleu[{simulator}]"] = self_bleu.measure(texts[:TEXTS])
    return found
