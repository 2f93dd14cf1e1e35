"""Who the users of a recommender are: profiles from what they rated, and personas matched to it."""
