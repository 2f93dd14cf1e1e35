"""Labels and definitions of the measures of dialogues, by name; * stands for the part that {} takes up."""

from openiir.kit.text_tables import read_definitions

DEFINITIONS = read_definitions("""
dialogues | dialogues | number of dialogues | 0 or more
failed | failed | number of dialogues that broke off by an error; they are left out of means | 0 or more
success | success | share of dialogues in which a target item was accepted | 0 to 1
success@* | success within {} turns | share of dialogues in which a target item was accepted within so many
    user turns | 0 to 1
accepted | took an item | share of dialogues in which any item was accepted | 0 to 1
turns | turns | user turns, also of dialogues that were given up | 0 or more
turns.success | turns of successes | user turns of successful dialogues alone | 0 or more
turns.restricted | turns, limit if in vain | user turns, with the turn limit for each dialogue without
    success, so that giving up early is not quick; the table leaves it empty where none succeeded
    | 0 or more
offered | any offer | share of dialogues in which anything was recommended | 0 to 1
recall@* | recall@{} | share of the targets among the first items of a recommendation, averaged over
    recommendations; the same at every depth where one item is offered at a time | 0 to 1
recall.any@10 | recall of a dialogue | share of the targets among all recommendations of a dialogue | 0 to 1
mrr | mean reciprocal rank | 1 over the number of items recommended up to the first target, 0 without one
    (Voorhees 1999) | 0 to 1
rank.target | rank of the first target | number of different items recommended up to and including the first
    target | 1 or more
turns.target | turns to the first target | user turns before the first recommendation with a target
    | 1 or more
utility | worth of offers | how well recommended items fit the need and the user's taste | 0 to 1
rounds.accepted | rounds accepted | share of recommendations that the user accepted | 0 to 1
reward | reward | UserSimCRS's reward: points for a short dialogue that does not repeat itself | 0 to 20
reward.length | reward a length | user turns that accept over all utterances (Bernard & Balog 2025) | 0 to 1
acts.ratio | acts of user over system | dialogue acts of the user over those of the system (Zhang & Balog
    2020) | 0 or more
coverage | need told | share of the need's constraints that the system was told | 0 to 1
questions.repeated | questions repeated | share of the system's questions whose answer it had asked for or
    been told before | 0 to 1
critiques.ignored | critiques ignored | share of critiques that the next recommendation violates | 0 to 1
less.success | difference in success | first system less second on the same needs | -1 to 1
less.judge.* | difference in {} | the same, for the judge's grades | -4 to 4
p.* | p of the difference in {} | two-sided p of sign flips over needs, after Holm's correction | 0 to 1
tau.* | agreement on {} | Kendall's tau of two simulators' orders of the systems: 1 is the same order
    | -1 to 1
distinct-* | distinct {}-grams | share of the simulated users' word sequences that differ (Li et al. 2016)
    | 0 to 1
self-bleu | self-BLEU | how alike the simulated users' turns are (Zhu et al. 2018) | 0 to 1
judge.asked | grades asked | number of grades asked of the judge | 0 or more
judge.unusable | grades missing | number of grades that came in no usable answer | 0 or more
judge.halo | halo | correlation of an aspect's grades with those of the other aspects | -1 to 1
judge.spread | spread of repeats | range of a dialogue's grades over repeats | 0 to 4
judge.order | effect of the scale's order | grade with the scale turned less grade without | -4 to 4
judge.verbosity | effect of padding | grade with polite filler less grade without | -4 to 4
judge.* | {} (judge) | mean grade of the judge | 1 to 5
validity.* | distance in {} | distance of simulated dialogues from people's
""")
