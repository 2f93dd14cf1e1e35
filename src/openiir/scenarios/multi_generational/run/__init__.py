"""What happens in a run: births, meetings, the posts that stand, and what is logged."""
