"""Questions to users of a feed, and the words that they share."""
