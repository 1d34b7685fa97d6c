"""The base class of agents: they answer the questions about sets, some after training."""

from collections.abc import Sequence

from tumble.comphy.agents.explanation import Explanation
from tumble.comphy.catalogue.body import Body
from tumble.comphy.catalogue.task import AgentInputError as AgentInputError
from tumble.comphy.catalogue.task import NamedGiven, Task
from tumble.comphy.questions.program import SetAnswers
from tumble.runs.agent import BaseAgent
from tumble.runs.given import Given, InTraining, OfTasks


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
