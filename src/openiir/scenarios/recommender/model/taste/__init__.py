"""Models of an agent's taste (picks and ratings), none of which a system under test shares."""
