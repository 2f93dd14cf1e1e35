"""What visitors, judges and captioners of a recommender are asked, with the behaviour models that answer offline."""
