"""See and simulate: start states and hidden properties fitted to the videos, then questions answered by simulation.

It sees the videos through the perceiver (or gets exact tracks), fits simulations of all five videos, and simulates the
future and the counterfactual worlds from the fit of the target. It uses no label and no annotation at test time.
"""

from dataclasses import dataclass

from tumble.comphy.agents.agent import Agent, AgentInputError
from tumble.comphy.agents.explanation import Explanation
from tumble.comphy.agents.see_and_simulate.cleaned import cleaned
from tumble.comphy.agents.see_and_simulate.fitted_answers import fitted_answers
from tumble.comphy.agents.see_and_simulate.scene import FittedMotions, fitted_scene
from tumble.comphy.agents.see_and_simulate.set_fit import SetFit, fit_set
from tumble.comphy.agents.task_perception import TaskPerception
from tumble.comphy.agents.transfer import questions_in
from tumble.comphy.agents.truth_modules import TruthModules
from tumble.comphy.catalogue.body import Body, world_of_bodies
from tumble.comphy.catalogue.task import NamedGiven, Task
from tumble.comphy.catalogue.world import PLAIN
from tumble.comphy.models.perceiver.perception import Perception
from tumble.comphy.questions.program import SetAnswers
from tumble.comphy.questions.symbolic_scene import SymbolicScene


@dataclass(frozen=True, eq=False)
class Seen:
    """What it perceived, fitted and simulated of a task."""

    perception: Perception
    fit: SetFit
    scene: SymbolicScene


class SeeAndSimulate(Agent):
    """Keeps its results for the last task."""

    trained_with: NamedGiven = "tracks"
    """Its perceiver: with places, masks and looks, without masses and charges."""

    def __init__(
        self,
        tracks: str = "detected",
        device: str = "cpu",
        checkpoint: str = "",
        simulate_on: str = "cpu",
        properties: str = "inferred",
        transfer: bool = False,
    ) -> None:
        """`device` and `checkpoint` are those of the perceiver; simulations of one set run best on a CPU.

        `properties` may be "given" to analyse errors: only starts are fitted then. `transfer`
        allows a perceiver of another world than that of the sets, whose bodies are taken for those of its own world.
        """
        self.simulate_on, self.perception = simulate_on, TaskPerception(tracks, checkpoint, device, transfer)
        self.modules = TruthModules(properties)
        self.uses_truth = self.modules.any
        self.last: tuple[Task, Seen] | None = None

    def answer(self, task: Task) -> SetAnswers:
        seen = self.seen(task)
        questions = questions_in(task.questions, world_of_bodies(seen.fit.bodies))
        return fitted_answers(seen.fit, seen.scene, questions)

    def infer_bodies(self, task: Task) -> tuple[Body, ...]:
        return self.seen(task).fit.bodies

    def explain(self, task: Task) -> Explanation:
        seen = self.seen(task)
        motions = FittedMotions(seen.fit, seen.scene)
        return Explanation(seen.fit.bodies, seen.perception, seen.scene, motions=motions)

    def seen(self, task: Task) -> Seen:
        """What it perceives, fits and simulates of a task."""
        if self.last is None or self.last[0] is not task:
            perception = self.perception.perceive(task)
            if world_of_bodies([Body(*look) for look in perception.appearances]) is not PLAIN:
                perception = cleaned(perception)
            if not perception.appearances:
                raise AgentInputError(f"set {task.id}: no bodies were found in its videos")
            truth = self.modules.given(task, perception).properties
            bodies = truth.bodies(perception.appearances) if truth else None
            fit = fit_set(perception, self.simulate_on, bodies)
            self.last = task, Seen(perception, fit, fitted_scene(fit))
        return self.last[1]
