"""Spaces of observations and actions, the encoding of actions, and the rewards of the original's environment."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike

from tumble.envs.vector_env import EnvError
from tumble.phyq.catalogue.physics import BIRD_COLOURS
from tumble.phyq.catalogue.trajectory import DISCRETE_ANGLES
from tumble.phyq.observation.batch import SMALL_SHAPE
from tumble.phyq.observation.camera import COLUMNS, ROWS
from tumble.phyq.observation.symbolic import CHANNELS, TENSOR_SHAPE
from tumble.phyq.simulation.shots import SHORTEST_PULL, Shot, ShotError

OBSERVATIONS = ("symbolic", "symbolic_float", "objects", "image", "small_image")
ACTIONS = ("angles", "continuous")
STEEPEST = 90.0
"""The largest continuous angle in degrees, up and down."""
LONGEST_WAIT = 20.0
"""The longest wait until the next bird, in seconds, other than until everything rests."""
MAX_OBJECTS = 64
"""Rows of the table of objects."""
FARTHEST = 100.0
"""The largest number in it, to which all are clipped."""
FEATURES = (*CHANNELS, "x", "y", "sine", "cosine", "width", "height", "life")
"""Columns of the table of objects: 1 in that of its kind, then its pose and size in world units, and life left."""


class DecodedAction(NamedTuple):
    """The shot of an action, and the seconds after which the next bird can fly (None: when everything rests)."""

    shot: Shot
    wait: float | None


class DecodedActions(NamedTuple):
    """The shots of many actions as arrays [n]; NaN for no tap, and for a wait until everything rests."""

    angles: np.ndarray
    stretches: np.ndarray
    tap_shares: np.ndarray
    waits: np.ndarray


def observation_space(observation: str) -> spaces.Box | spaces.Dict:
    """The space of an observation."""
    if observation not in OBSERVATIONS:
        raise EnvError(f"no observation {observation!r}; there are {', '.join(OBSERVATIONS)}")
    if observation == "symbolic":
        return spaces.Box(0, 1, TENSOR_SHAPE, np.uint8)
    if observation == "symbolic_float":
        return spaces.Box(0.0, 1.0, (TENSOR_SHAPE[2], *TENSOR_SHAPE[:2]), np.float32)
    if observation == "objects":
        return spaces.Dict(
            {
                "objects": spaces.Box(-FARTHEST, FARTHEST, (MAX_OBJECTS, len(FEATURES)), np.float32),
                "mask": spaces.MultiBinary(MAX_OBJECTS),
                "birds_left": spaces.Box(0.0, FARTHEST, (len(BIRD_COLOURS),), np.float32),
            }
        )
    return spaces.Box(0, 255, (ROWS, COLUMNS, 3) if observation == "image" else SMALL_SHAPE, np.uint8)


def action_space(actions: str) -> spaces.Discrete | spaces.Box:
    """The space of the 180 angles; or of angle, stretch, tap and wait, each from 0 to 1."""
    if actions not in ACTIONS:
        raise EnvError(f"no actions {actions!r}; there are {', '.join(ACTIONS)}")
    return spaces.Discrete(len(DISCRETE_ANGLES)) if actions == "angles" else spaces.Box(0.0, 1.0, (4,), np.float64)


def decode_actions(batch: np.ndarray, actions: str, has_power: np.ndarray) -> DecodedActions:
    """The shots of actions [n] or [n, 4]; `has_power` bool [n] says whose bird can be tapped.

    Continuous actions are shares of -90 to 90 degrees, of the stretch, of the flight until the tap, and of 20 s until
    the next bird; a tap of 1 is none, and a wait of 1 lasts until everything rests.
    """
    count, none = len(has_power), np.full(len(has_power), np.nan)
    if actions == "angles":
        largest = len(DISCRETE_ANGLES) - 1
        if batch.shape != (count,) or batch.dtype.kind not in "iu":
            raise ShotError(f"an action is a whole number from 0 to {largest}, not {_first_action(batch)}")
        outside = batch[(batch < 0) | (batch > largest)]
        if len(outside):
            raise ShotError(f"an action is a whole number from 0 to {largest}, not {outside[0]}")
        return DecodedActions(np.array(DISCRETE_ANGLES)[batch], np.ones(count), none, none)
    shares = np.asarray(batch, float)
    fits = shares.shape == (count, 4)
    wrong = ~np.asarray(((shares >= 0.0) & (shares <= 1.0)).all(axis=1)) if fits else np.ones(count, bool)
    if wrong.any():
        found = shares[wrong][0].tolist() if fits else _first_action(batch)
        raise ShotError(f"an action is four numbers from 0 to 1 (angle, stretch, tap, wait), not {found}")
    angle, stretch, tap, wait = shares.T
    return DecodedActions(
        STEEPEST * (2.0 * angle - 1.0),
        SHORTEST_PULL + (1.0 - SHORTEST_PULL) * stretch,
        np.where((tap < 1.0) & has_power, tap, np.nan),
        np.where(wait < 1.0, LONGEST_WAIT * wait, np.nan),
    )


def _first_action(batch: np.ndarray) -> object:
    return batch[0].tolist() if len(batch) else batch


def decode_action(action: ArrayLike, actions: str, bird: str, delay: float | None) -> DecodedAction:
    """The shot of an action with a bird of the given colour, `delay` seconds after the previous release.

    >>> decode_action(128, "angles", "red", None).shot.angle
    38.0
    """
    decoded = decode_actions(np.asarray(action)[None], actions, np.array([bird != "red"]))
    angle, stretch, share, wait = (float(values[0]) for values in decoded)
    shot = Shot(angle, stretch, tap_share=None if np.isnan(share) else share, delay=delay)
    return DecodedAction(shot, None if np.isnan(wait) else wait)


@dataclass(frozen=True)
class ShotResults:
    """What shots changed, from the observation before each until the one after it; arrays [n]."""

    won: np.ndarray
    """bool: the level was won by this shot."""
    pigs_killed: np.ndarray
    points: np.ndarray
    """Points of the game that were gained, with those for unused birds if the level was won."""
    pigs: np.ndarray
    """Pigs of the level at its start."""
    birds: np.ndarray
    """Birds of the level at its start."""


def _passing(shots: ShotResults) -> np.ndarray:
    """1 for the shot that wins the level, else 0: the reward of the paper."""
    return shots.won.astype(float)


def _num_pigs(shots: ShotResults) -> np.ndarray:
    """Pigs killed by this shot."""
    return shots.pigs_killed.astype(float)


def _num_pigs_normalised(shots: ShotResults) -> np.ndarray:
    """1 for the shot that wins, else the share of the level's pigs killed by this shot, less 1 / birds of the level."""
    share = shots.pigs_killed / np.maximum(shots.pigs, 1) - 1.0 / np.maximum(shots.birds, 1)
    return np.where(shots.won, 1.0, share)


def _score(shots: ShotResults) -> np.ndarray:
    """Points gained by this shot."""
    return shots.points.astype(float)


REWARDS: dict[str, Callable[[ShotResults], np.ndarray]] = {
    "passing": _passing,
    "num_pigs": _num_pigs,
    "num_pigs_normalised": _num_pigs_normalised,
    "score": _score,
}


def reward_function(name: str) -> Callable[[ShotResults], np.ndarray]:
    """The function of a reward: rewards float [n] of shots."""
    if name not in REWARDS:
        raise EnvError(f"no reward {name!r}; there are {', '.join(REWARDS)}")
    return REWARDS[name]
