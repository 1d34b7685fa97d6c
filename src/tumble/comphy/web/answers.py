"""What is told after an answer: whether it is right, by the marks of models, and why."""

from collections.abc import Sequence
from typing import Any

from tumble.comphy.agents.answer_space import answer_words
from tumble.comphy.evaluation.metrics import Mark, mark
from tumble.comphy.questions.programs.context import ProgramEvent
from tumble.comphy.report.set_page import CHARGE_NAMES, MASS_NAMES
from tumble.comphy.tasks.question import Question, QuestionSet
from tumble.comphy.web.played_set import PlayedSet
from tumble.comphy.web.steps import event_data, steps_of
from tumble.comphy.web.worlds import WorldAddresses
from tumble.errors import TumbleError

Answer = str | Sequence[str]


class AnswerError(TumbleError):
    """An answer of another form than the question's."""


def marked(played: PlayedSet, question: Question, answer: Answer) -> Mark:
    """The mark of an answer, as a model's would be; an AnswerError if it does not fit the question."""
    if isinstance(answer, str):
        if question.choices:
            raise AnswerError(f"question {question.id} has options: send correct or wrong for each of them")
        words, pick = answer_words(question, played.world)
        given = answer.split(" and ")
        if len(given) != pick or any(word not in words for word in given):
            several = "one of" if pick == 1 else "two, with 'and' between them, of"
            raise AnswerError(f"question {question.id}: the answer is {several} {', '.join(words)}")
        return mark(QuestionSet(played.key.number, (question,)), {question.id: answer})[0]
    if len(answer) != len(question.choices):
        raise AnswerError(f"question {question.id} has {len(question.choices)} options, not {len(answer)}")
    by_option = {choice.id: given for choice, given in zip(question.choices, answer, strict=True)}
    return mark(QuestionSet(played.key.number, (question,)), {question.id: by_option})[0]


def explanation(played: PlayedSet, question: Question, answer: Answer, worlds: WorldAddresses) -> dict[str, Any]:
    """Whether an answer is right, and why: the steps of the program, and the world that the question is about."""
    interpreter, told = played.interpreter, marked(played, question, answer)
    data: dict[str, Any] = {
        "set": str(played.key),
        "question": question.id,
        "kind": question.kind,
        "family": question.family,
        "right": told.all_correct,
        "correct": list(told.correct),
        "world": worlds.data(played, question),
    }
    if not question.choices:
        return {**data, "answer": question.answer, "steps": steps_of(interpreter, question.program)}
    options = [
        {
            "text": choice.text,
            "answer": choice.answer,
            "steps": steps_of(interpreter, choice.program + question.program),
        }
        for choice in question.choices
    ]
    return {**data, "options": options}


def summary(played: PlayedSet, answers: Sequence[Answer]) -> dict[str, Any]:
    """How many questions of a set were answered right, its hidden properties and its events: when all are answered."""
    questions, interpreter = played.questions.questions, played.interpreter
    if len(answers) != len(questions):
        raise AnswerError(f"set {played.key} has {len(questions)} questions; {len(answers)} are answered")
    marks = [marked(played, question, answer) for question, answer in zip(questions, answers, strict=True)]
    events = (ProgramEvent(event.kind, event.frame, event.bodies) for event in interpreter.scene.shown_events)
    return {
        "set": str(played.key),
        "right": [one.all_correct for one in marks],
        "family": played.videos.family,
        "bodies": [
            {"name": str(body), "mass": MASS_NAMES[body.mass], "charge": CHARGE_NAMES[body.charge]}
            for body in played.videos.bodies
        ],
        "events": [event_data(interpreter, event) for event in events],
    }
