"""Users that test a conversational recommender: dialogues held, judged and compared (UserSimCRS v2)."""
