"""What agents are given of a task: its perception, the truth in place of a module, and words of another world.

An agent sees a set through the perceiver, or gets exact tracks, to measure what perception costs it. The truth in
place of one of its modules tells where its errors come from, and is recorded with its scores. A checkpoint knows its
world: on a set of another world an agent refuses to answer unless its setting `transfer` is true. Then words that the
model does not know say nothing: descriptions in programs lose them ("the red teapot" is "the red object"), and what
is seen is called by words that it knows.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from tumble.comphy.agents.agent import AgentInputError
from tumble.comphy.catalogue.task import Appearance, Program, QuestionSet, Task
from tumble.comphy.catalogue.video_set import VideoSet
from tumble.comphy.catalogue.world import ALL_MATERIALS, ALL_SHAPES, PLAIN, TARGET_FRAMES, ObjectWorld
from tumble.comphy.models.perceiver.perceive import Perceiver, perception_of
from tumble.comphy.models.perceiver.perception import MatchedTruth, Perception, match_truth
from tumble.comphy.models.perceiver.training import NAME
from tumble.comphy.models.registry import checkpoint_path
from tumble.comphy.simulation.laws import SLIDES_AS

_ROLLS_AS = {"sphere": "cylinder"}


def weights_name(name: str, world: ObjectWorld, transfer: bool) -> str:
    """The name of the shipped weights of a model for a world: with transfer, those of the plain world.

    >>> from tumble.comphy.catalogue.world import DIV
    >>> weights_name("cpl", PLAIN, False), weights_name("cpl", DIV, False), weights_name("cpl", DIV, True)
    ('cpl', 'cpl-div', 'cpl')
    """
    return name if world is PLAIN or transfer else f"{name}-{world.name}"


def check_world(name: str, trained: ObjectWorld, task: Task, transfer: bool) -> None:
    """An error if a model was trained on another world than a task's, and transfer was not asked for."""
    if trained is not task.world and not transfer:
        raise AgentInputError(
            f"set {task.id} is of the {task.world.name} world, but this checkpoint of {name} was trained on the "
            f"{trained.name} world; give one of the {task.world.name} world, or ask for this by transfer=true"
        )


def questions_in(questions: QuestionSet, world: ObjectWorld) -> QuestionSet:
    """Questions whose programs describe bodies by words of a world only; other words are left out."""
    asked = []
    for question in questions.questions:
        choices = tuple(replace(choice, program=program_in(choice.program, world)) for choice in question.choices)
        asked.append(replace(question, program=program_in(question.program, world), choices=choices))
    return replace(questions, questions=tuple(asked))


def program_in(program: Program, world: ObjectWorld) -> Program:
    """A program without filters by words that a world does not have.

    >>> program_in(("objects", "red", "filter_color", "mug", "filter_shape", "count"), PLAIN)
    ('objects', 'red', 'filter_color', 'count')
    """
    return tuple(_known_tokens(program, {*ALL_MATERIALS, *ALL_SHAPES} - {*world.materials, *world.shapes}))


def _known_tokens(program: Program, unknown: set[str]) -> Iterator[str]:
    dropped = False
    for token in program:
        if token in unknown:
            dropped = True  # and the filter that follows
        elif dropped:
            dropped = False
        else:
            yield token


def perception_in(perception: Perception, world: ObjectWorld) -> Perception:
    """A perception with words of a world: a shape that slides alike, and the first material, for unknown ones."""
    looks = tuple(_look_in(look, world) for look in perception.appearances)
    return perception if looks == perception.appearances else replace(perception, appearances=looks, forms=())


def _look_in(look: Appearance, world: ObjectWorld) -> Appearance:
    material = look.material if look.material in world.materials else world.materials[0]
    if look.shape in world.shapes:
        return Appearance(look.color, material, look.shape)
    alike = _slides_as(look.shape)
    shape = alike if alike in world.shapes else next(one for one in world.shapes if _slides_as(one) == alike)
    return Appearance(look.color, material, shape)


def _slides_as(shape: str) -> str:
    return SLIDES_AS.get(shape, _ROLLS_AS.get(shape, shape))


DETECTED, GIVEN = "detected", "given"
TRACKS = (DETECTED, GIVEN)


def checked_setting(name: str, value: str, known: tuple[str, ...]) -> str:
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
        self.tracks, self.checkpoint, self.device = checked_setting("tracks", tracks, TRACKS), perceiver, device

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
        if self.last is None or not _same_videos(self.last[0], videos):
            self.last = videos, self.perceiver.perceive(videos)
        return self.last[1]


def _same_videos(one: tuple[np.ndarray, ...], other: tuple[np.ndarray, ...]) -> bool:
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))


@lru_cache(maxsize=2)
def _remembering(checkpoint: str, device: str) -> RememberingPerceiver:
    return RememberingPerceiver(Perceiver.load(checkpoint, device))


INFERRED, LEARNED = "inferred", "learned"
PROPERTIES, DYNAMICS = (INFERRED, GIVEN), (LEARNED, GIVEN)


class GivenTruth(NamedTuple):
    """What is true of a task, for the modules that are given it; None: the agent uses its own."""

    properties: MatchedTruth | None = None
    dynamics: MatchedTruth | None = None


class TruthModules:
    """Which modules of an agent are given the truth."""

    def __init__(self, properties: str = INFERRED, dynamics: str = LEARNED) -> None:
        self.properties = checked_setting("properties", properties, PROPERTIES) == GIVEN
        self.dynamics = checked_setting("dynamics", dynamics, DYNAMICS) == GIVEN

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
