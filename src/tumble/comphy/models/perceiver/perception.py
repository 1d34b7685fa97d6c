"""What the perceiver finds in the five videos of a set: bodies, their looks and their tracks."""

from dataclasses import dataclass

import numpy as np

from tumble.comphy.catalogue.task import Appearance


@dataclass(frozen=True, eq=False)
class PerceivedVideo:
    """The tracks of a video's bodies."""

    members: tuple[int, ...]
    """Indices of the set's bodies; the columns of all arrays are in this order."""
    seen: np.ndarray
    """bool [frame, body]: whether the body was detected."""
    centres: np.ndarray
    """float64 [frame, body, 2]: where the centre of the body (of the solid, not of its box) is in the picture, x and y
    from 0 to 1 as `Camera.project` gives them; beyond that at a border; NaN where it is not seen."""
    errors: np.ndarray
    """float64 [frame, body]: estimated standard error of a centre's coordinates, in pixels of a picture 240 wide."""
    yaws: np.ndarray
    """float64 [frame, body]: heading in radians, modulo a full turn divided by the FOLDS of the shape (a quarter turn
    for cubes); NaN for round shapes."""
    boxes: np.ndarray
    """float32 [frame, body, 4]: boxes of the visible part, normalised as in `dataset.tracks`; -1 where not seen."""

    @property
    def frames(self) -> int:
        """The number of frames."""
        return len(self.seen)


@dataclass(frozen=True, eq=False)
class Perception:
    """What is found in the videos of a set."""

    appearances: tuple[Appearance, ...]
    """Of each body."""
    target: PerceivedVideo
    references: tuple[PerceivedVideo, ...]
    forms: tuple[int, ...] = ()
    """Of each body, which variation of its shape it is, if that is known; the perceiver does not tell."""
