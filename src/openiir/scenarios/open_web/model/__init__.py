"""Models of an open web: publishers who live on visits, writers with a reputation, and people who leave."""
