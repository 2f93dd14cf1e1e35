"""Labels and definitions of the measures, by name; * stands for the part that {} takes up."""

from openiir.kit.text_tables import read_definitions

DEFINITIONS = read_definitions("""
reach.* | reach of {} | share of the members who looked at the scheduled post | 0 to 1
cascade_size | cascade size | members of a cascade with its author: mean over all posts and comments
    | 1 or more
cascade_depth | cascade depth | reposts on the longest way from the author to a member: mean, likewise
    | 0 or more
cascade_breadth | cascade breadth | most members at one depth of a cascade: mean, likewise | 0 or more
cascade_*.max | largest cascade {} | cascade_size, cascade_depth and cascade_breadth of the largest cascade
    | 0 or more
structural_virality | structural virality | mean distance between two members of a cascade, over cascades
    with a repost: 2 is a broadcast, more is from person to person (Goel et al., Manage. Sci. 2016)
    | 1 or more
reproduction | reproduction number | how many reposts each post, comment and repost caused on average
    | 0 or more
like_rate | likes a look | share of looks at posts that ended in a like | 0 to 1
dislike_rate | dislikes a look | share of looks at posts that ended in a dislike | 0 to 1
comment_rate | comments a look | share of looks at posts that ended in a comment | 0 to 1
repost_rate | reposts a look | share of looks at posts that ended in a repost | 0 to 1
exposure_gini | inequality of exposure | Gini coefficient of the looks that members' posts got: 0 is equal
    | 0 to 1
exposure.* | exposure of members {} | looks at what the members of a side posted, by member of that side;
    sides are stances above 0 (for) and below (against) at the start | 0 or more
cross_cutting | cross-cutting looks | share of looks at posts by authors of the other side, among looks
    between members who have one | 0 to 1
controversy | random-walk controversy | of the network of who reposted what from whom, by side: near 0 is
    one crowd, near 1 two camps (Garimella et al., WSDM 2016) | -1 to 1
counter.posts | posts after counter-speech | posts a round of hostile authors who were answered, over those
    of hostile authors who were not, less 1 | -1 or more
counter.deleted | deletions after counter-speech | share of hostile authors who deleted their post: of those
    answered less of those not answered | -1 to 1
false_to_true | false to true reposts | reposts a look at false scheduled posts over those at true ones
    | 0 or more
stance_variance | variance of stances | variance of the members' stances, -1 to 1, at the end | 0 to 1
stance_variance.change | change of the variance | variance of stances at the end less that at the start
    | -1 to 1
stance_moved | movement of stances | mean distance of the members' stances at the end from where they began
    | 0 to 2
""")
