"""Recommender: persona agents who judge a recommender under test (SimUSER)."""
