"""Oracle and Shown: run the questions' programs on the ground truth, or on what the target shows alone.

The oracle's errors are errors of the data. Shown has no physics: factual questions are answered as if all bodies were
light and neutral, counterfactual ones as if nothing changed, predictive ones as if every body continued straight. A
model that reasons about physics has to be better than that.
"""

import numpy as np

from tumble.comphy.agents.agent import Agent, Explanation
from tumble.comphy.catalogue.task import ERROR, Observation, Question, QuestionSet, Task
from tumble.comphy.catalogue.video_set import CHANGES, Alteration
from tumble.comphy.catalogue.world import SHOWN_FRAMES
from tumble.comphy.questions.interpreter import Interpreter
from tumble.comphy.questions.program import Answer, SetAnswers
from tumble.comphy.questions.symbolic_scene import SymbolicScene, symbolic_scene
from tumble.comphy.simulation.events import events_of
from tumble.comphy.simulation.outcomes import straight_collisions


class Oracle(Agent):
    """Answers from true properties and true motion."""

    uses_truth = True

    def answer(self, task: Task) -> SetAnswers:
        return answers_from_scene(symbolic_scene(task.truth()), task.questions)

    def explain(self, task: Task) -> Explanation:
        videos = task.truth()
        motions: dict[Alteration | None, np.ndarray] = {None: videos.target.positions}
        motions.update((change, motion.positions) for change, motion in videos.altered.items())
        return Explanation(videos.bodies, scene=symbolic_scene(videos), motions=motions)


def answers_from_scene(scene: SymbolicScene, questions: QuestionSet) -> SetAnswers:
    """The results of the questions' programs on a scene; a question whose program fails is left unanswered."""
    interpreter = Interpreter(scene)
    answers = {question.id: _answer(question, interpreter.answers(question)) for question in questions.questions}
    return {number: answer for number, answer in answers.items() if answer is not None}


def _answer(question: Question, words: tuple[str, ...]) -> Answer | None:
    if not question.choices:
        return None if words[0] == ERROR else words[0]
    return {choice.id: word for choice, word in zip(question.choices, words, strict=True) if word != ERROR}


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
