"""A ranker that hides one side: what an audit must find if it finds anything."""

import numpy as np


def hide_against(view):
    """Scores (readers, posts) for `config.ranker = "one_side:hide_against"`: newest first, posts against at the end."""
    return view.spread(np.where(view.column("valence") < 0, -1e6, 0.0) + view.column("minute"))
