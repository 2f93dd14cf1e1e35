"""A ranker of one's own: by similarity to what a user clicked, with a cap on every topic's share of the list."""

import numpy as np

CAP = 2
"""Items of one main topic among each ten."""


def diverse(view):
    """Scores (users, items) for `openiir run` with `config.ranker = "own_ranker:diverse"`.

    An item's score is its cosine with the user's taste. Within each user's order, every topic's first CAP items come
    before any topic's next CAP, and so on. The noise orders what is tied, such as everything for who clicked nothing.
    """
    cosine = view.cosine(view.taste) + 2**-12 * view.noise("tie")
    topic = np.broadcast_to(view.theta.argmax(axis=-1), view.shape)
    order = np.argsort(-cosine, axis=1, kind="stable")
    ranked_topic = np.take_along_axis(topic, order, axis=1)
    rounds = np.empty(view.shape)
    for number in range(view.theta.shape[-1]):
        mine = ranked_topic == number
        rounds[mine] = ((np.cumsum(mine, axis=1) - 1) // CAP)[mine]
    scores = np.empty(view.shape)
    np.put_along_axis(scores, order, -2.0 * rounds, axis=1)
    return scores + cosine
