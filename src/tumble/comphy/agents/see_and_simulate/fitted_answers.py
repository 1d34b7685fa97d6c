"""Answers from a fitted set; where its best fit has none, the most frequent answer of starts that are as likely."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tumble.comphy.agents.oracle import answers_from_scene
from tumble.comphy.agents.see_and_simulate.asked_looks import agreeing_looks
from tumble.comphy.agents.see_and_simulate.closest_option import with_one_correct
from tumble.comphy.agents.see_and_simulate.least_squares import drawn
from tumble.comphy.agents.see_and_simulate.scene import fitted_scene
from tumble.comphy.agents.see_and_simulate.set_fit import SetFit
from tumble.comphy.catalogue.task import Appearance, Question, QuestionSet
from tumble.comphy.questions.program import Answer, SetAnswers, Type, check_program
from tumble.comphy.questions.symbolic_scene import SymbolicScene

STARTS, SPREADS = 16, (1.0, 3.0)
"""Starts that are drawn from the posterior if an answer is missing, for each width in standard errors."""
ATTRIBUTES = {Type.COLOR: "color", Type.MATERIAL: "material", Type.SHAPE: "shape"}
FEW_STARTS = 4
"""The same for everyday objects that were perceived, whose words were misjudged rather than their starts."""


def fitted_answers(fit: SetFit, scene: SymbolicScene, questions: QuestionSet) -> SetAnswers:
    """The answers of the fit's scene, completed.

    A question presupposes something, as that two bodies collide. If that narrowly fails in the best fit, the question
    tells that another start is the right one. Everyday objects that were perceived may also have wrong words and are
    fitted worse: their looks are made to agree with the questions, and one of two options is always correct.
    """
    uncertain = fit.problem.is_uncertain
    if uncertain:
        scene = _with_agreeing_looks(scene, questions)
    answers = dict(answers_from_scene(scene, questions))
    if uncertain:
        answers = dict(with_one_correct(answers, scene, questions))
    missing = QuestionSet(questions.index, tuple(q for q in questions.questions if _is_missing(q, answers.get(q.id))))
    if not missing.questions:
        return answers
    widths = np.array(SPREADS)
    rows, draws = np.zeros(len(widths), int), np.random.default_rng(questions.index)
    count = FEW_STARTS if uncertain else STARTS
    starts = drawn(fit.target.take(rows), fit.information[None][rows], count, widths, draws)
    others = []
    for row in range(len(starts)):
        varied = fitted_scene(replace(fit, target=starts.take(np.array([row]))), refit=not uncertain)
        others.append(answers_from_scene(replace(varied, bodies=scene.bodies), missing))
    for question in missing.questions:
        found = _most_frequent(question, answers.get(question.id), [own.get(question.id) for own in others])
        if found is None and uncertain:
            found = _guess(question, scene)
        if found is not None:
            answers[question.id] = found
    return answers


def _guess(question: Question, scene: SymbolicScene) -> str | None:
    """A word that a factual question may have as its answer: "no", or what most bodies are that it does not name."""
    kind = check_program(question.program)
    if kind == Type.YES_NO:
        return "no"
    attribute = ATTRIBUTES.get(kind)
    if attribute is None:
        return None
    words = Counter(word for body in scene.bodies if (word := str(getattr(body, attribute))) not in question.program)
    return words.most_common(1)[0][0] if words else None


def _with_agreeing_looks(scene: SymbolicScene, questions: QuestionSet) -> SymbolicScene:
    """The scene, with looks that agree with the questions."""
    looks = agreeing_looks([Appearance(*body.appearance) for body in scene.bodies], questions)
    bodies = tuple(
        replace(body, color=look.color, material=look.material, shape=look.shape)
        for body, look in zip(scene.bodies, looks, strict=True)
    )
    return replace(scene, bodies=bodies)


def _is_missing(question: Question, answer: Answer | None) -> bool:
    if answer is None or isinstance(answer, str):
        return answer is None
    return len(answer) < len(question.choices)


def _most_frequent(question: Question, own: Answer | None, others: Sequence[Answer | None]) -> Answer | None:
    """The most frequent word, or own verdicts completed by the most frequent ones."""
    if not question.choices:
        words = Counter(word for word in others if isinstance(word, str))
        return words.most_common(1)[0][0] if words else None
    verdicts = {} if own is None or isinstance(own, str) else dict(own)
    for choice in question.choices:
        counts = Counter(one[choice.id] for one in others if one and not isinstance(one, str) and choice.id in one)
        if choice.id not in verdicts and counts:
            verdicts[choice.id] = counts.most_common(1)[0][0]
    return verdicts
