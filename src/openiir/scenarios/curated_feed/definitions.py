"""Labels and definitions of the feed's measures, by name; * stands for the part that {} takes up."""

DEFINITIONS = {
    "opinion_variance": ("variance of opinions", "variance of opinions across users, averaged over topics"),
    "total_variance": ("total variance", "variance of opinions across users, summed over topics"),
    "issue_alignment": ("issue alignment", "share of the variance that lies on one line through all topics: 1/topics where they vary apart, 1 where one opinion tells all"),
    "polarisation": ("Esteban-Ray polarisation", "how far opinions form large groups far from each other, averaged over topics: 0 is consensus (Econometrica 1994)"),
    "drift": ("drift", "mean distance of users' opinions from where they began"),
    "click_rate": ("click rate", "clicks over items shown, 0 to 1"),
    "clicks_per_slate": ("clicks a slate", "clicks over slates shown"),
    "exposure_entropy": ("entropy of exposure", "how evenly topics were shown to all users together: 0 one topic, 1 all alike"),
    "exposure_entropy.per_user": ("entropy of a user's exposure", "how evenly topics were shown to each user, averaged: low values are filter bubbles"),
    "exposure_share.*": ("share of topic {}", "share of items shown that were on this topic"),
    "exposure_to_catalogue.js": ("distance from catalogue (JS)", "Jensen-Shannon divergence of topics shown from topics on offer, in nats"),
    "exposure_to_catalogue.kl": ("distance from catalogue (KL)", "Kullback-Leibler divergence of topics shown from topics on offer, in nats"),
    "item_gini": ("inequality of items", "Gini coefficient of how often items were shown: 0 is equal shares"),
    "oracle_tau": ("order as the oracle's", "Kendall's tau of the ranker's order of audited items with the order of what users like: 1 is the same order"),
    "oracle_tau.shown": ("order of slates as the oracle's", "the same within the slates shown"),
    "regret": ("regret", "expected clicks a slate that the best slate would have had more"),
    "click_overlap": ("overlap of clicks", "mean Jaccard similarity of the items that two users clicked, 0 to 1"),
    "click_overlap.beyond_chance": ("overlap beyond chance", "the same, less what clicks at random would give"),
}  # fmt: skip
