"""The base class of agents, which answer the questions about sets, and their intermediate results.

`Explanation` holds the intermediate results for a task, for pages of error analysis and the accuracy of concepts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tumble.comphy.catalogue.body import Body
from tumble.comphy.catalogue.task import AgentInputError as AgentInputError
from tumble.comphy.catalogue.task import NamedGiven, Task
from tumble.comphy.catalogue.video_set import Alteration, Pair
from tumble.comphy.models.perceiver.perception import Perception
from tumble.comphy.questions.interpreter import Step
from tumble.comphy.questions.program import NULL, SetAnswers
from tumble.comphy.questions.symbolic_scene import ProgramContext, SymbolicScene
from tumble.runs.participant import BaseAgent, Given, InTraining, OfTasks

TraceKey = tuple[int, int | None]
"""The ids of a question and of its option; None for a factual question."""


@dataclass(frozen=True, eq=False)
class Concepts:
    """What an agent believes about the shown frames of the target; bodies are in the order of its own `bodies`."""

    moving: np.ndarray
    """bool [body]: whether it is in view and moves in any frame."""
    stationary: np.ndarray
    """bool [body]: whether it is in view and moves in no frame."""
    enters: np.ndarray
    """bool [body]: whether it comes into view."""
    leaves: np.ndarray
    """bool [body]: whether it goes out of view."""
    collisions: frozenset[Pair]
    """Pairs (first < second) that collide in view."""


@dataclass(frozen=True, eq=False)
class Explanation:
    """The intermediate results of an agent for a task.

    Making it must be cheap after `answer`; a mapping may compute its values when they are asked for.
    """

    bodies: tuple[Body, ...] | None = None
    """With the masses and charges that it infers; None if it has no notion of bodies."""
    perception: Perception | None = None
    """What it sees in the videos; the bodies are those of `bodies`, in the same order."""
    scene: SymbolicScene | None = None
    """What programs are run on, of agents that run them on symbols."""
    concepts: Concepts | None = None
    """Of agents without such a scene."""
    traces: Mapping[TraceKey, tuple[Step, ...]] | None = None
    """The steps of programs, of agents that run them on something else than a scene."""
    motions: Mapping[Alteration | None, np.ndarray] | None = None
    """float64 [frame, body, 2 or 3]: predicted places on the table from the first frame on, NaN where there is no
    prediction: of the target (None) with its future, and after changes."""

    def visible_concepts(self) -> Concepts | None:
        """The concepts, from the scene if there is one."""
        return self.concepts if self.scene is None else concepts_of(self.scene)


def concepts_of(scene: SymbolicScene) -> Concepts:
    """The concepts that hold in a scene."""
    context = ProgramContext(scene)
    moving = context.moving_in(NULL)
    bodies = range(len(scene.bodies))
    entered, left = ({event.bodies[0] for event in scene.shown_events if event.kind == kind} for kind in ("in", "out"))
    return Concepts(
        moving,
        context.visible_in(NULL) & ~moving,
        np.array([body in entered for body in bodies]),
        np.array([body in left for body in bodies]),
        frozenset((event.bodies[0], event.bodies[1]) for event in scene.shown_events if event.kind == "collision"),
    )


class Agent(BaseAgent[Task, None]):
    """Answers questions; its settings are the arguments of its class."""

    learns = False
    """Whether it has to be trained in the run; not if it comes with a checkpoint."""
    uses_truth = False
    """Whether it may call `task.truth()`, which is recorded with its scores."""

    trained_with: NamedGiven = ""
    """The most that its training used, if it comes trained; empty if it trains in the run or needs no training. An
    agent that reads this from its checkpoint sets it when it is created."""

    def given(self) -> Given:
        """The most that it may ask for; what it asked for is recorded with each set that it answered."""
        trained: tuple[InTraining, ...] = (self.trained_with,) if self.trained_with else ()
        most: OfTasks = "truth" if self.uses_truth else "tracks"
        return Given(tasks=("questions", most), training=("tracks",) if self.learns else trained, declared=False)

    def train(self, tasks: Sequence[Task]) -> None:
        """Learns from tasks whose questions have answers."""

    def answer(self, task: Task) -> SetAnswers:
        """Answers by the ids of the questions, whose own answers are withheld."""
        raise NotImplementedError

    def infer_bodies(self, task: Task) -> tuple[Body, ...] | None:
        """The set's bodies with the masses and charges that the agent infers; None if it infers none."""
        return None

    def explain(self, task: Task) -> Explanation | None:
        """Its intermediate results for the task that it answered last, for error analysis; None if it has none."""
        return None
