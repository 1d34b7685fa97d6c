"""A task: the questions about a set, and what an agent may look at to answer them.

What can be seen of a set (`Observation`) holds copies without masses, charges, frames after the shown ones and
states of bodies out of view. The most that an agent asks for (`Use`) is recorded with its scores.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Literal, NamedTuple, TypeVar, get_args

import numpy as np

from tumble.comphy.catalogue.body import Body, Motion
from tumble.comphy.catalogue.video_set import VideoSet
from tumble.comphy.catalogue.world import PLAIN, STEPS_PER_FRAME, ObjectWorld
from tumble.errors import TumbleError

Kind = Literal["factual", "predictive", "counterfactual"]
KINDS: tuple[Kind, ...] = get_args(Kind)
Program = tuple[str, ...]
"""Operators and literals in postfix order, as in the published files."""
CORRECT, WRONG = "correct", "wrong"
ERROR = "error"
"""The answer of a program that has none, as in the published files; never correct."""


@dataclass(frozen=True)
class Choice:
    """An option of a multiple-choice question. Its full program is its own followed by the question's."""

    id: int
    text: str
    program: Program
    answer: str | None
    """"correct" or "wrong"; None where answers are withheld."""


@dataclass(frozen=True)
class Question:
    """A factual question with an answer, or a multiple-choice question with options."""

    id: int
    kind: Kind
    family: str
    """The template that it was made from."""
    text: str
    program: Program
    answer: str | None = None
    choices: tuple[Choice, ...] = ()


@dataclass(frozen=True)
class QuestionSet:
    """The questions about one set."""

    index: int
    """Of the set."""
    questions: tuple[Question, ...]


Given = Literal["questions", "videos", "tracks", "truth"]
GIVEN: tuple[Given, ...] = get_args(Given)
"""What a task gives, from the least to the most: the questions alone; pictures; looks, exact tracks and boxes of bodies
in view (and pictures); everything. A model that was trained with labels such as masks or masses used the truth."""
NamedGiven = Given | Literal[""]
"""What was given, or nothing if it is not known or there was no training."""


@dataclass
class Use:
    """The most that was asked for."""

    most: Given = "questions"

    def add(self, given: Given) -> None:
        """Records that something was asked for.

        >>> use = Use()
        >>> use.add("tracks"), use.add("videos"), use.most
        (None, None, 'tracks')
        """
        self.most = max(self.most, given, key=GIVEN.index)


class Appearance(NamedTuple):
    """The visible attributes of a body."""

    color: str
    material: str
    shape: str


@dataclass(frozen=True, eq=False)
class SeenVideo:
    """What can be seen in a video."""

    members: tuple[int, ...]
    """Indices of the set's bodies; the columns of track and boxes are in this order."""
    track: Motion
    """NaN where a body is not in view; collisions in view only."""
    read_boxes: Callable[[], np.ndarray] = field(repr=False)
    read_frames: Callable[[], np.ndarray] = field(repr=False)

    @cached_property
    def boxes(self) -> np.ndarray:
        """float32 [frame, body, 4]: centre x and y, width and height, each from 0 to 1; -1 for an invisible body."""
        return self.read_boxes()

    def frames(self) -> np.ndarray:
        """uint8 [frame, height, width, 3]: the pictures; an error if the dataset has none."""
        return self.read_frames()


References = tuple[SeenVideo, ...]


@dataclass(frozen=True, eq=False)
class Observation:
    """What can be seen of a set."""

    appearances: tuple[Appearance, ...]
    """Of each body of the set."""
    target: SeenVideo
    """The shown frames only."""
    read_references: Callable[[], References] = field(repr=False)
    forms: tuple[int, ...] = ()
    """Of each body of the set: which variation of its shape it is; empty in the plain world, where all are alike."""

    @cached_property
    def bodies(self) -> tuple[Body, ...]:
        """Light and neutral bodies that look like those of the set."""
        forms = self.forms or (0,) * len(self.appearances)
        return tuple(Body(*look, form=form) for look, form in zip(self.appearances, forms, strict=True))

    @cached_property
    def references(self) -> References:
        """The references, read when they are first asked for; none if the dataset has no annotations of them."""
        return self.read_references()

    def reading_by(self, load: Callable[[Callable[[], References]], References]) -> "Observation":
        """The same observation, which reads references by `load`."""
        return replace(self, read_references=partial(load, self.read_references))


def seen_track(motion: Motion, frames: int) -> Motion:
    """A copy of a motion's first frames with what is in view: NaN for bodies that are not, collisions in view."""
    in_view = motion.in_view[:frames].copy()
    seen = in_view[..., None]
    return Motion(
        np.where(seen, motion.positions[:frames], np.nan),
        np.where(seen, motion.orientations[:frames], np.nan),
        np.where(seen, motion.velocities[:frames], np.nan),
        np.where(seen, motion.angular_velocities[:frames], np.nan),
        in_view,
        tuple(
            collision
            for collision in motion.collisions
            if collision.step // STEPS_PER_FRAME < len(in_view)
            and in_view[collision.step // STEPS_PER_FRAME, list(collision.pair)].all()
        ),
    )


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
