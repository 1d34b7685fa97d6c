"""Oracle: runs the questions' programs on the ground truth. Its errors are errors of the data."""

import numpy as np

from tumble.comphy.agents.agent import Agent
from tumble.comphy.agents.explanation import Explanation
from tumble.comphy.catalogue.task import ERROR, Question, QuestionSet, Task
from tumble.comphy.catalogue.video_set import Alteration
from tumble.comphy.questions.interpreter import Interpreter
from tumble.comphy.questions.program import Answer, SetAnswers
from tumble.comphy.questions.symbolic_scene import SymbolicScene, symbolic_scene


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
