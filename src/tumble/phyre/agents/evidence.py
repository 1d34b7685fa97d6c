"""What failed attempts say about other actions, ball by ball.

A ball that touched nothing that moves is useless wherever its partner is, and one that brought the goal's bodies nearer
to each other is useful. So the effects of an attempt count for actions that have one ball in common with it, too.
"""

import numpy as np

from tumble.phyre.simulation.actions import placed_balls


def flat_balls(actions: np.ndarray) -> np.ndarray:
    """float [n, numbers]: x, y and radius of the balls that actions place, in whole pixels."""
    return placed_balls(actions).reshape(actions.shape)


def evidence(balls: np.ndarray, attempted: np.ndarray, effects: np.ndarray, reach: float, view: float) -> np.ndarray:
    """float [n, 1 + 2 * count]: how many attempts are the same as an action, in all balls; for each of its balls, how
    many balls of attempts are similar to it, and the sum of these balls' effects.

    Given are the balls [n, numbers] of actions and those of attempts, and the effects [attempts, count] of the latter.
    What is at distance d counts as exp(-(d / reach)^2 / 2) and exp(-(d / view)^2 / 2).
    """
    count = effects.shape[1]
    squares = squared_distances(balls.reshape(-1, 3), attempted.reshape(-1, 3))
    similar = np.exp(-0.5 * squares / view**2)
    by_ball = np.stack([similar.sum(axis=1), similar @ effects.ravel()]).reshape(2, len(balls), count)
    same = _same(squares.reshape(len(balls), count, len(attempted), count), reach)
    return np.concatenate([same[:, None], by_ball[0], by_ball[1]], axis=1)


def _same(squares: np.ndarray, reach: float) -> np.ndarray:
    """float [n]: how many attempts are the same, by squared distances [n, ball, attempts, ball] of their balls.

    The order of balls does not matter.
    """
    count = squares.shape[1]
    orders = [range(count), reversed(range(count))] if count > 1 else [range(count)]
    totals = [np.sum([squares[:, own, :, other] for other, own in enumerate(order)], axis=0) for order in orders]
    return np.asarray(np.exp(-0.5 * np.min(totals, axis=0) / reach**2).sum(axis=1))


def squared_distances(points: np.ndarray, others: np.ndarray) -> np.ndarray:
    """float [n, m]: between points [n, d] and others [m, d]."""
    squares = (points**2).sum(axis=1)[:, None] + (others**2).sum(axis=1) - 2.0 * points @ others.T
    return np.asarray(np.maximum(squares, 0.0))
