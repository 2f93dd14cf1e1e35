"""Labels and definitions of the measures, by name; * stands for the part that {} takes up."""

from numpy.typing import ArrayLike

from openiir.kit.measures.per_user import UserMean, over_users
from openiir.kit.text_tables import read_definitions
from openiir.plugin.definitions import bound_measure

DEFINITIONS = read_definitions("""
P_view | share taken | share of the shown titles that a visitor took, averaged over visitors; P_view in
    SimUSER's paper | 0 to 1
N_like | titles liked | number of titles that a visitor took and liked; N_like in SimUSER's paper
    | 0 or more
P_like | share liked | share of the shown titles that a visitor took and liked; P_like in SimUSER's paper
    | 0 to 1
N_exit | pages seen | number of pages until the visitor left; N_exit in SimUSER's paper | 0 or more
S_sat | satisfaction (1 to 10) | satisfaction on leaving; S_sat in SimUSER's paper | 1 to 10
failures | failures | number of questions during visits that had no usable answer | 0 or more
ran_out | visits it left without a page | number of visits that ended since the system had nothing left to
    show | 0 or more
failed_pages | pages it failed to give | number of pages that the system did not deliver | 0 or more
human_likeness | like a person (1 to 5) | the judge's grade of visits: 1 is a machine, 5 a person | 1 to 5
offline.*@10 | {}@10, offline | quality of the first ten places by held-out ratings | 0 to 1
simulated.*@10 | {}@10, simulated | quality of the first ten places by what visitors liked | 0 to 1
order.tau.*.offline | order by {} as by ratings | Kendall's tau of the systems' order by visits with that by
    held-out nDCG@10: 1 is the same order | -1 to 1
taste.*.auc | AUC, {} | chance that a title met ranks above one not met: 0.5 is guessing | 0 to 1
taste.* | {} | how well titles met are told from titles not met, averaged over visitors | 0 to 1
rating.*.coverage | share rated, {} | share of the titles asked about that were rated | 0 to 1
rating.*.rmse* | RMSE, {} | root of the mean square of stated ratings of held-out titles less the real ones
    | 0 or more
rating.*.mae* | MAE, {} | mean absolute value of stated ratings of held-out titles less the real ones
    | 0 or more
rating.*.js_bits | distance of ratings (JS), {} | Jensen-Shannon divergence of stated from real ratings'
    shares, in bits | 0 to 1
rating.*.earth_mover | distance of ratings (stars), {} | stars by which stated ratings would have to move to
    have the real shares | 0 or more
battery.page *.rating | rating after page {} | mean rating of one random sample of titles after so many
    pages | 0 or more
persona.*.majority* | {} by the commonest class | the same for naming the commonest class for everybody
    | 0 to 1
persona.* | matched {} | agreement of matched personas with what users say of themselves | 0 to 1
thumbnails.*.click_rate | click rate of {} | share of titles clicked with this picture | 0 to 1
thumbnails.*.less_poster | click rate of {} less poster | difference to the poster, visitor by visitor
    | -1 to 1
coherence.took_good | took what was asked for | share of offers fitting the request that were taken | 0 to 1
coherence.took_bad | took what was not asked for | share of other offers that were taken | 0 to 1
coherence.coherent | coherent | share of requests whose fitting offer was taken and the other left | 0 to 1
coherence.bad_of_taken | not asked for, of taken | share of offers taken that did not fit the request
    | 0 to 1
""")


def average_users(measure: str, values: ArrayLike, why: str, level: float = 0.95) -> UserMean:
    """Average one number for each user, as `over_users`, with an interval within the measure's bounds."""
    return over_users(values, why, level, bound_measure(DEFINITIONS, measure))
