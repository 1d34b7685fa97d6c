"""A task: the questions about a set, and what an agent may look at to answer them."""

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from tumble.comphy.tasks.observation import Observation
from tumble.comphy.tasks.question import QuestionSet
from tumble.comphy.tasks.use import Use
from tumble.comphy.tasks.video_set import VideoSet
from tumble.comphy.tasks.world import PLAIN, ObjectWorld
from tumble.errors import TumbleError

T = TypeVar("T")


class AgentInputError(TumbleError):
    """Tasks that an agent can't be trained on or can't answer, or that don't give what it asks for."""


class Task:
    """The questions about a set; `videos` gives its pictures, `observe` what can be seen of it, `truth` everything.

    All three read files when they are called. `use` records what was asked for, `fault` an error of reading.
    """

    def __init__(
        self,
        questions: QuestionSet,
        observe: Callable[[], Observation] | None = None,
        truth: Callable[[], VideoSet] | None = None,
        videos: Callable[[], tuple[np.ndarray, ...]] | None = None,
        allows_truth: bool = False,
        use: Use | None = None,
        world: ObjectWorld = PLAIN,
    ) -> None:
        """`world` is that of the set, whose words answers are made of."""
        self.questions = questions
        self.use = use or Use()
        self.world = world
        self._reading = Reading()
        self._observe, self._truth, self._videos, self._allows_truth = observe, truth, videos, allows_truth

    @property
    def id(self) -> str:
        return task_id(self.questions.index)

    def videos(self) -> tuple[np.ndarray, ...]:
        """uint8 [frame, height, width, 3]: the pictures of the target, then of each reference; nothing else."""
        self.use.add("videos")
        if self._videos is None:
            raise AgentInputError(f"set {self.id}: there are no videos")
        return self._reading(self._videos)

    def observe(self) -> Observation:
        """What can be seen: appearances, and exact tracks and boxes of the shown frames and of the references."""
        self.use.add("tracks")
        if self._observe is None:
            raise AgentInputError(f"set {self.id}: there are only its questions")
        return self._reading(self._observe).reading_by(self._reading)

    def truth(self) -> VideoSet:
        """The whole set, with masses, charges, future and counterfactual worlds, for agents with `uses_truth`."""
        if not self._allows_truth:
            raise AgentInputError(
                f"set {self.id}: truth() gives hidden properties and the future; an agent that uses them must declare "
                "`uses_truth = True` in its class, which is recorded with its scores. observe() gives what can be seen"
            )
        self.use.add("truth")
        if self._truth is None:
            raise AgentInputError(f"set {self.id}: there are only its questions")
        return self._reading(self._truth)

    @property
    def fault(self) -> TumbleError | None:
        """The error of reading the set's files, if there was one."""
        return self._reading.fault


class Reading:
    """Calls functions that read files, and keeps their last error. It has no reference to the task."""

    def __init__(self) -> None:
        self.fault: TumbleError | None = None

    def __call__(self, read: Callable[[], T]) -> T:
        try:
            return read()
        except TumbleError as error:
            self.fault = error
            raise


def task_id(index: int) -> str:
    """The id of a set in run logs, as in 00042."""
    return f"{index:05d}"
