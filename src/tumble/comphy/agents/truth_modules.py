"""The truth in place of one of an agent's modules, to analyse its errors.

Such an agent is given the truth, which is recorded with its scores. Exact tracks are a setting of `TaskPerception`.
"""

from typing import NamedTuple

from tumble.comphy.agents.agent import AgentInputError
from tumble.comphy.agents.task_perception import GIVEN, one_of
from tumble.comphy.catalogue.task import Task
from tumble.comphy.catalogue.video_set import VideoSet
from tumble.comphy.catalogue.world import TARGET_FRAMES
from tumble.comphy.models.data.matched_truth import MatchedTruth, match_truth
from tumble.comphy.models.perceiver.perception import Perception

INFERRED, LEARNED = "inferred", "learned"
PROPERTIES, DYNAMICS = (INFERRED, GIVEN), (LEARNED, GIVEN)


class GivenTruth(NamedTuple):
    """What is true of a task, for the modules that are given it; None: the agent uses its own."""

    properties: MatchedTruth | None = None
    dynamics: MatchedTruth | None = None


class TruthModules:
    """Which modules of an agent are given the truth."""

    def __init__(self, properties: str = INFERRED, dynamics: str = LEARNED) -> None:
        self.properties = one_of("properties", properties, PROPERTIES) == GIVEN
        self.dynamics = one_of("dynamics", dynamics, DYNAMICS) == GIVEN

    @property
    def any(self) -> bool:
        """Whether one of them is."""
        return self.properties or self.dynamics

    def given(self, task: Task, perception: Perception) -> GivenTruth:
        """The truth about what an agent perceived in a task; it is not asked for if no module is given it."""
        if not self.any:
            return GivenTruth()
        videos = task.truth()
        if self.properties:
            _check_properties(task, videos)
        if self.dynamics:
            _check_dynamics(task, videos)
        truth = match_truth(perception, videos)
        return GivenTruth(truth if self.properties else None, truth if self.dynamics else None)


def _check_properties(task: Task, videos: VideoSet) -> None:
    if not any(body.is_heavy or body.is_charged for body in videos.bodies):
        raise AgentInputError(f"set {task.id}: properties=given needs masses and charges, which its annotation lacks")


def _check_dynamics(task: Task, videos: VideoSet) -> None:
    if videos.target.frames < TARGET_FRAMES or not videos.altered:
        raise AgentInputError(
            f"set {task.id}: dynamics=given needs the motion after the shown frames and after changes, which its "
            "annotations lack"
        )
