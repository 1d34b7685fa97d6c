"""Shown: answers from what the target shows, without inferring hidden properties and without physics.

Factual questions are answered as if all bodies were light and neutral, counterfactual ones as if nothing changed, and
predictive ones as if every body continued straight. A model that reasons about physics has to be better than that.
"""

from tumble.comphy.agents.agent import Agent
from tumble.comphy.agents.explanation import Explanation
from tumble.comphy.agents.oracle import answers_from_scene
from tumble.comphy.catalogue.task import Observation, Task
from tumble.comphy.catalogue.video_set import CHANGES, Alteration
from tumble.comphy.catalogue.world import SHOWN_FRAMES
from tumble.comphy.questions.program import SetAnswers
from tumble.comphy.questions.symbolic_scene import SymbolicScene
from tumble.comphy.simulation.events import events_of
from tumble.comphy.simulation.outcomes import straight_collisions


class Shown(Agent):
    """Uses the target's track only."""

    def answer(self, task: Task) -> SetAnswers:
        return answers_from_scene(shown_scene(task.observe()), task.questions)

    def explain(self, task: Task) -> Explanation:
        scene = shown_scene(task.observe())
        return Explanation(scene.bodies, scene=scene)


def shown_scene(observation: Observation) -> SymbolicScene:
    """The scene as it is seen, if all bodies are light and neutral, no change has an effect and motion continues."""
    bodies = observation.bodies
    track = observation.target.track
    shown = events_of(bodies, track, 0, SHOWN_FRAMES)
    return SymbolicScene(
        bodies=bodies,
        motion=track,
        shown_events=shown,
        future_events=straight_collisions(bodies, track),
        altered_events={Alteration(body, change): shown for body in range(len(bodies)) for change in CHANGES},
    )
