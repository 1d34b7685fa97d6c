"""What agents perceive of a task: through the perceiver, or exact tracks to measure what perception costs them."""

from functools import lru_cache

import numpy as np

from tumble.comphy.agents.agent import AgentInputError
from tumble.comphy.agents.transfer import check_world, weights_name
from tumble.comphy.catalogue.task import Task
from tumble.comphy.models.perceiver.from_observation import perception_of
from tumble.comphy.models.perceiver.perceive import Perceiver
from tumble.comphy.models.perceiver.perception import Perception
from tumble.comphy.models.perceiver.training import NAME
from tumble.comphy.models.shipped import checkpoint_path

DETECTED, GIVEN = "detected", "given"
TRACKS = (DETECTED, GIVEN)


def one_of(name: str, value: str, known: tuple[str, ...]) -> str:
    """The value of a setting, if it is known."""
    if value not in known:
        raise AgentInputError(f"no {name} {value!r}; there are {', '.join(known)}")
    return value


class TaskPerception:
    """Perceives tasks."""

    def __init__(
        self, tracks: str = DETECTED, perceiver: str = "", device: str = "cpu", transfer: bool = False
    ) -> None:
        """`transfer`: whether a perceiver of another world than a task's may be used."""
        self.transfer = transfer
        self.tracks, self.checkpoint, self.device = one_of("tracks", tracks, TRACKS), perceiver, device

    def perceive(self, task: Task) -> Perception:
        """What is found in the videos of a task, or its exact tracks."""
        if self.tracks == GIVEN:
            return perception_of(task.observe())
        name = weights_name(NAME, task.world, self.transfer)
        found = _remembering(str(checkpoint_path(name, self.checkpoint)), self.device)
        check_world(NAME, found.perceiver.world, task, self.transfer)
        return found.perceive(task.videos())


class RememberingPerceiver:
    """A perceiver that remembers what it found last: several agents may look at the same videos."""

    def __init__(self, perceiver: Perceiver) -> None:
        self.perceiver = perceiver
        self.last: tuple[tuple[np.ndarray, ...], Perception] | None = None

    def perceive(self, videos: tuple[np.ndarray, ...]) -> Perception:
        """What is found in videos; the same arrays as last time are not processed again."""
        if self.last is None or not _same(self.last[0], videos):
            self.last = videos, self.perceiver.perceive(videos)
        return self.last[1]


def _same(one: tuple[np.ndarray, ...], other: tuple[np.ndarray, ...]) -> bool:
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))


@lru_cache(maxsize=2)
def _remembering(checkpoint: str, device: str) -> RememberingPerceiver:
    return RememberingPerceiver(Perceiver.load(checkpoint, device))
