"""Takes measurements out of a track to which its body can't have moved: those of another body, or of none."""

import numpy as np

from tumble.comphy.catalogue.world import FRAMES_PER_SECOND

MAX_SPEED = 5.0
"""Units per second."""
TOLERANCE = 4.0
"""Standard errors of the distance between two measurements."""


def possible_frames(places: np.ndarray, errors: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """bool [frame]: the most measurements between which a body can have moved.

    places [frame, 2] on the table and their errors [frame] in units; `seen` [frame] says which there are. Measurements
    between which the body never moves too fast belong together; of these segments, those that can follow each other are
    chained to the largest chain.

    >>> places = np.array([[0.0, 0.0], [0.1, 0.0], [2.0, 1.0], [2.0, 1.0], [0.2, 0.0], [0.2, 0.0], [0.2, 0.0]])
    >>> possible_frames(places, np.full(7, 0.01), np.ones(7, bool)).tolist()
    [True, True, False, False, True, True, True]
    """
    frames = np.flatnonzero(seen)
    if len(frames) < 2:
        return seen.copy()

    def reachable(one: int, other: int) -> bool:
        distance = float(np.hypot(*(places[other] - places[one])))
        allowed = MAX_SPEED * (other - one) / FRAMES_PER_SECOND
        return distance < allowed + TOLERANCE * float(np.hypot(errors[one], errors[other]))

    apart = np.hypot(*np.diff(places[frames], axis=0).T)
    allowed = MAX_SPEED * np.diff(frames) / FRAMES_PER_SECOND + TOLERANCE * np.hypot(
        errors[frames[1:]], errors[frames[:-1]]
    )
    segments = np.split(frames, np.flatnonzero(apart >= allowed) + 1)
    if len(segments) == 1:
        return seen.copy()
    totals, before = [len(segment) for segment in segments], [-1] * len(segments)
    for later, segment in enumerate(segments):
        for earlier in range(later):
            total = totals[earlier] + len(segment)
            if total > totals[later] and reachable(int(segments[earlier][-1]), int(segment[0])):
                totals[later], before[later] = total, earlier
    possible = np.zeros(len(seen), bool)
    last = int(np.argmax(totals))
    while last >= 0:
        possible[segments[last]] = True
        last = before[last]
    return possible
