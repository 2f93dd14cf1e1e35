"""Labels and definitions of the measures, by name; * stands for the part that {} takes up."""

from openiir.kit.text_tables import read_definitions

DEFINITIONS = read_definitions("""
landing.* | false posts that land, {} | mean chance of false posts to outlast moderation, at the first
    generation (first), the last (last), or the last of a control (last.CONTROL) | 0 to 1
landing_true.* | true posts that land, {} | the same for true posts; where it is no higher, moderation fails
    | 0 to 1
brier.* | Brier score, {} | mean squared error of judgements, half for true and half for false posts; 0 is
    best, .25 is who always says .5 | 0 to 1
auc.* | area under the ROC curve, {} | chance that a false post is held likelier to be false than a true
    one; .5 tells nothing apart | 0 to 1
mcnemar | McNemar's p | of the mean judgements of both versions of each pair, in the last generation: exact
    and two-sided, with pairs as units | 0 to 1
discrimination.* | paired discrimination, {} | share of judgements that hold a producer's false version
    likelier to be false than its true one, without ties; low and high are an interval over pairs | 0 to 1
reliability.* | reliability, {} | part of the Brier score due to miscalibration (Murphy 1973); 0 is best
    | 0 to 1
resolution.* | resolution, {} | what judgements take off the Brier score by telling posts apart (Murphy, J.
    Appl. Meteorol. 1973); 0 tells nothing apart | 0 to 1
calibration_error.by_chance | calibration error by chance | expected calibration error of perfectly
    calibrated independent judgements with the last generation's probabilities | 0 to 1
calibration_error.* | calibration error, {} | mean distance of what is said from the share of false posts,
    in 10 bins; compare the value by chance | 0 to 1
recall.* | recall at 5 % false positives, {} | share of false posts rejected where 5 % of true ones are
    | 0 to 1
reads_posts_*.first | {}: posts read, first | share of posts in what the first generation reads; the rest
    are pages | 0 to 1
reads_posts_*.last | {}: posts read, last | share of posts in what the last generation reads | 0 to 1
distance_* | distance of genomes, {} | mean distance of two genomes of a side (Gower 1971) | 0 to 1
templates_* | effective templates, {} | Hill number of order 1 of a side's templates | 1 or more
compatibility | compatibility | that with true posts less that with false ones; above 0 is good | -1 to 1
compatibility.* | compatibility, {} | how far the last generation's posts, by rising mean judgement, agree
    with the ranking that has true (helpful) or false (harmful) ones first, to depth 1,000 (Clarke et al.,
    TOIS 2021); mean over topics | 0 to 1
train.majority.* | met pairs, by vote, {} | of a vote of the last generation: a version is held for false,
    1, if more than half of the judgements of it say so, and for true, 0, if not | 0 to 1
train.length.* | met pairs, length, {} | of suspecting the version with the last generation's longer posts
    | 0 to 1
held_out.majority.* | held out, by vote, {} | of a vote of the generation: a version is held for false, 1,
    if more than half of the judgements of it say so, and for true, 0, if not | 0 to 1
held_out.length.* | held out, length, {} | of suspecting the version with a generation's longer posts
    | 0 to 1
train.* | met pairs, {} | of the mean judgement of each version by the last generation, as for held-out
    pairs; here posts could be found, too | 0 to 1
held_out_invented.* | held out and invented, {} | the same as held out, on topics that the world's pages
    alone know | 0 to 1
held_out.* | held out, {} | Brier score, area under the ROC curve, or share of pairs told apart with ties
    half, of a generation's mean judgement of its own producers' posts for a version, on topics never met
    before; pages alone can be found; who always says .5 has .25, or .5 | 0 to 1
progress.lag | lag of progress | generations between those compared: about a quarter of the run | 0 or more
progress.* | progress of {} | how much better a generation does than its forebears of a lag ago did, against
    the opponents of that time | -1 to 1
forgetting.* | forgetting of {} | share of pairs of generations in which the later does worse against the
    earlier's opponents than the earlier did, by more than a standard error | 0 to 1
generality.* | generality, {} | mean score of a generation against opponents of all generations; producers
    land, detectors keep from landing | 0 to 1
behaviours.* | behaviours of {} | effective number (Hill, order 1) of behaviours among generations: scores
    against all opponents, rounded to .05 | 1 or more
cyclic_triads | cyclic triads | share of triads of generations that beat each other in a circle; 1/4 by
    chance | 0 to 1
nash_support | generations in the equilibrium | number of generations with weight above .001 in the Nash
    average (Balduzzi et al., NeurIPS 2018) | 1 or more
disengagement.* | disengagement of {} | share of generations whose fitness hardly varies (by a millionth),
    so that none is selected | 0 to 1
mrca_depth.* | common ancestor of {} | generations from the last back to its most recent common ancestor
    | 0 or more
phylogenetic_diversity.* | phylogenetic diversity of {} | summed length of all branches to the last
    generation, in generations (Faith, Biol. Conserv. 1992) | 0 or more
founders.* | founders of {} with descendants | number of founders with descendants in the last generation
    | 0 or more
fixations.* | fixations, {} | number of mutations of a group of loci that all of the last generation inherit
    | 0 or more
""")
