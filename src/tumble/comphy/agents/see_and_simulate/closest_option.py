"""Which of two options is correct, if the simulation says both or none: that of the bodies that come closer.

Questions about everyday objects have two options, of which one is correct. A fit that is a little off often has both
events happen or none of them. Then the pair that collides first, or else comes closest, is the likelier one.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tumble.comphy.agents.prediction import SimulatedAlterations
from tumble.comphy.catalogue.body import Motion
from tumble.comphy.catalogue.task import CORRECT, WRONG, Question, QuestionSet
from tumble.comphy.catalogue.video_set import CHANGES, Alteration
from tumble.comphy.catalogue.world import SHOWN_FRAMES, STEPS_PER_FRAME
from tumble.comphy.questions.interpreter import Interpreter
from tumble.comphy.questions.program import CHANGE_PREFIX, SetAnswers
from tumble.comphy.questions.symbolic_scene import ProgramEvent, SymbolicScene
from tumble.comphy.simulation.events import pair_distances

NEGATIONS = ("not", "negate")
UNKNOWN = 1.5
"""Units: the distance that bodies are taken to have if one of them was not found."""


@dataclass(frozen=True, eq=False)
class Future:
    """The frames of a motion in which an option's event would happen."""

    motion: Motion
    first: int

    def score(self, event: object) -> float:
        """The lower, the likelier the event is: negative if it happens, else the least distance of the bodies."""
        if not isinstance(event, ProgramEvent) or len(event.bodies) != 2:
            return UNKNOWN
        frames = [
            collision.step // STEPS_PER_FRAME
            for collision in self.motion.collisions
            if set(collision.pair) == set(event.bodies) and collision.step >= self.first * STEPS_PER_FRAME
        ]
        if frames:
            return min(frames) - float(self.motion.frames)
        return float(pair_distances(self.motion, *event.bodies)[self.first :].min())


def with_one_correct(answers: SetAnswers, scene: SymbolicScene, questions: QuestionSet) -> SetAnswers:
    """The answers; of two options of a question of which not one alone is said to be correct, the likelier one is."""
    interpreter = Interpreter(scene)
    completed = dict(answers)
    for question in questions.questions:
        verdicts = completed.get(question.id)
        known = verdicts.values() if isinstance(verdicts, Mapping) else ()
        if len(question.choices) == 2 and sorted(known) != sorted((CORRECT, WRONG)):
            completed[question.id] = _closest(question, interpreter, scene)
    return completed


def _closest(question: Question, interpreter: Interpreter, scene: SymbolicScene) -> dict[int, str]:
    future = _future(question, interpreter, scene)
    scores = [future.score(interpreter.values(choice.program)[-1]) for choice in question.choices]
    likelier = int(np.argmin(scores))
    correct = 1 - likelier if question.program[-1] in NEGATIONS else likelier
    return {choice.id: CORRECT if k == correct else WRONG for k, choice in enumerate(question.choices)}


def _future(question: Question, interpreter: Interpreter, scene: SymbolicScene) -> Future:
    """The motion after the video's end, or in its shown frames after the change that the question names."""
    places = [k for k, token in enumerate(question.program) if token.startswith(CHANGE_PREFIX)]
    if not places:
        shown = SHOWN_FRAMES if question.kind == "predictive" else 0
        return Future(scene.motion, min(shown, scene.motion.frames - 1))
    choice = question.choices[0].program
    body = interpreter.values(choice + question.program)[len(choice) + places[0] - 1]
    altered = scene.altered_events
    changes = [change for change in CHANGES if CHANGE_PREFIX + change == question.program[places[0]]]
    if not isinstance(body, int) or not changes or not isinstance(altered, SimulatedAlterations):
        return Future(scene.motion, 0)
    bodies = Alteration(body, changes[0]).apply(altered.bodies)
    return Future(scene.motion if bodies == altered.bodies else altered.motion(bodies), 0)
