"""Cascades: spreading models over a follower graph, trees from logged exposure, their measures."""
