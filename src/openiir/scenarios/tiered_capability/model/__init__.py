"""The model: needs and the documents that serve them, tiers and what they find, and how people read it."""
