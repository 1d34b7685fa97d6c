"""Oracle: knows the whole truth and runs the questions' programs on it. What it gets wrong is wrong with the data."""

from tumble.comphy.agents.agent import Asked, Model
from tumble.comphy.questions.answers import Given, SetAnswers
from tumble.comphy.questions.programs.facts import ERROR
from tumble.comphy.questions.programs.interpreter import Executor
from tumble.comphy.questions.programs.story import Story, story_of
from tumble.comphy.tasks.question import Question, QuestionSet


class Oracle(Model):
    """Answers from true properties and true motion."""

    def answer(self, asked: Asked) -> SetAnswers:
        return answers_from(story_of(asked.look()), asked.questions)


def answers_from(story: Story, questions: QuestionSet) -> SetAnswers:
    """What the programs of questions give on a story; a question whose program fails is left unanswered."""
    executor = Executor(story)
    found = {question.id: _given(question, executor.answers(question)) for question in questions.questions}
    return {number: given for number, given in found.items() if given is not None}


def _given(question: Question, words: tuple[str, ...]) -> Given | None:
    if not question.choices:
        return None if words[0] == ERROR else words[0]
    return {choice.id: word for choice, word in zip(question.choices, words, strict=True) if word != ERROR}
