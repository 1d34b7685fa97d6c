"""Spaces of observations and actions, and their encodings."""

from typing import NamedTuple

import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike

from tumble.envs.errors import EnvError
from tumble.phyq.observation import tensor
from tumble.phyq.observation.camera import COLUMNS, ROWS
from tumble.phyq.observation.view import View
from tumble.phyq.simulation.shots import SHORTEST_PULL, Shot, ShotError
from tumble.phyq.tasks.trajectory import DISCRETE_ANGLES

OBSERVATIONS = ("symbolic", "image", "small_image")
ACTIONS = ("angles", "continuous")
STEEPEST = 90.0
"""The largest continuous angle in degrees, up and down."""
LONGEST_WAIT = 20.0
"""The longest wait until the next bird, in seconds, other than until everything rests."""
_CELL = tensor.CELL


class DecodedAction(NamedTuple):
    """The shot of an action, and the seconds after which the next bird can fly (None: when everything rests)."""

    shot: Shot
    wait: float | None


def observation_space(observation: str) -> spaces.Box:
    """The space of `observation_of`."""
    if observation not in OBSERVATIONS:
        raise EnvError(f"no observation {observation!r}; there are {', '.join(OBSERVATIONS)}")
    if observation == "symbolic":
        return spaces.Box(0, 1, tensor.SHAPE, np.uint8)
    scale = 1 if observation == "image" else _CELL
    return spaces.Box(0, 255, (ROWS // scale, COLUMNS // scale, 3), np.uint8)


def observation_of(view: View, observation: str, platforms: bool) -> np.ndarray:
    """A view as a tensor of 12 channels, a screenshot, or a screenshot with sides of a quarter."""
    if observation == "symbolic":
        return view.tensor(platforms)
    picture = view.picture()
    if observation == "image":
        return picture
    cells = picture.reshape(ROWS // _CELL, _CELL, COLUMNS // _CELL, _CELL, 3)
    return np.asarray(cells.mean(axis=(1, 3)).round(), np.uint8)


def action_space(actions: str) -> spaces.Discrete | spaces.Box:
    """The space of the 180 angles; or of angle, stretch, tap and wait, each from 0 to 1."""
    if actions not in ACTIONS:
        raise EnvError(f"no actions {actions!r}; there are {', '.join(ACTIONS)}")
    return spaces.Discrete(len(DISCRETE_ANGLES)) if actions == "angles" else spaces.Box(0.0, 1.0, (4,), np.float64)


def decode_action(action: ArrayLike, actions: str, bird: str, delay: float | None) -> DecodedAction:
    """The shot of an action with a bird of the given colour, `delay` seconds after the previous release.

    Continuous actions are shares of -90 to 90 degrees, of the stretch, of the flight until the tap, and of 20 s until
    the next bird; a tap of 1 is none, and a wait of 1 lasts until everything rests.

    >>> decode_action(128, "angles", "red", None).shot.angle
    38.0
    """
    if actions == "angles":
        number = np.asarray(action)
        if number.shape != () or number.dtype.kind not in "iu" or not 0 <= number < len(DISCRETE_ANGLES):
            raise ShotError(f"an action is a whole number from 0 to {len(DISCRETE_ANGLES) - 1}, not {action!r}")
        return DecodedAction(Shot(DISCRETE_ANGLES[int(number)], delay=delay), None)
    shares = np.asarray(action, float)
    if shares.shape != (4,) or not ((shares >= 0.0) & (shares <= 1.0)).all():
        raise ShotError(f"an action is four numbers from 0 to 1 (angle, stretch, tap, wait), not {action!r}")
    angle, stretch, tap, wait = shares.tolist()
    has_power = bird != "red"
    shot = Shot(
        STEEPEST * (2.0 * angle - 1.0),
        SHORTEST_PULL + (1.0 - SHORTEST_PULL) * stretch,
        tap_share=tap if tap < 1.0 and has_power else None,
        delay=delay,
    )
    return DecodedAction(shot, LONGEST_WAIT * wait if wait < 1.0 else None)
