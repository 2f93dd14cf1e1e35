"""Labels and definitions of the measures, by name; * stands for the part that {} takes up."""

from openiir.kit.text_tables import read_definitions

DEFINITIONS = read_definitions("""
P_view | share taken | share of the shown titles that a visitor took, averaged over visitors; P_view in
    SimUSER's paper
N_like | titles liked | number of titles that a visitor took and liked; N_like in SimUSER's paper
P_like | share liked | share of the shown titles that a visitor took and liked; P_like in SimUSER's paper
N_exit | pages seen | number of pages until the visitor left; N_exit in SimUSER's paper
S_sat | satisfaction (1 to 10) | satisfaction on leaving, 1 to 10; S_sat in SimUSER's paper
failures | failures | number of questions during visits that had no usable answer
ran_out | visits it left without a page | number of visits that ended since the system had nothing left to
    show
failed_pages | pages it failed to give | number of pages that the system did not deliver
human_likeness | like a person (1 to 5) | the judge's grade of visits, 1 (machine) to 5 (person)
offline.*@10 | {}@10, offline | quality of the first ten places by held-out ratings
simulated.*@10 | {}@10, simulated | quality of the first ten places by what visitors liked
order.tau.*.offline | order by {} as by ratings | Kendall's tau of the systems' order by visits with that by
    held-out nDCG@10: 1 is the same order
taste.*.auc | AUC, {} | chance that a title met ranks above one not met: 0.5 is guessing
taste.* | {} | how well titles met are told from titles not met, averaged over visitors
rating.*.coverage | share rated, {} | share of the titles asked about that were rated
rating.*.rmse* | RMSE, {} | root of the mean square of stated ratings of held-out titles less the real ones
rating.*.mae* | MAE, {} | mean absolute value of stated ratings of held-out titles less the real ones
rating.*.js_bits | distance of ratings (JS), {} | Jensen-Shannon divergence of stated from real ratings'
    shares, in bits
rating.*.earth_mover | distance of ratings (stars), {} | stars by which stated ratings would have to move to
    have the real shares
battery.page *.rating | rating after page {} | mean rating of one random sample of titles after so many pages
persona.*.majority* | {} by the commonest class | the same for naming the commonest class for everybody
persona.* | matched {} | agreement of matched personas with what users say of themselves, 0 to 1
thumbnails.*.click_rate | click rate of {} | share of titles clicked with this picture
thumbnails.*.less_poster | click rate of {} less poster | difference to the poster, visitor by visitor
coherence.took_good | took what was asked for | share of offers fitting the request that were taken
coherence.took_bad | took what was not asked for | share of other offers that were taken
coherence.coherent | coherent | share of requests whose fitting offer was taken and the other left
coherence.bad_of_taken | not asked for, of taken | share of offers taken that did not fit the request
""")
