"""Accuracies of answers: by kind of question and by template, per option and per question.

Unanswered questions count as wrong, and so does the answer "error"; both are counted. An answer to a question that does
not exist is refused.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tumble.comphy.questions.answers import Answer, Answers, SetAnswers, same_answer
from tumble.comphy.tasks.question import CORRECT, ERROR, KINDS, WRONG, Kind, Question, QuestionSet
from tumble.errors import TumbleError


class ScoringError(TumbleError):
    """Answers that can't be scored."""


@dataclass(frozen=True)
class Mark:
    """The answers to one question, and whether they are correct."""

    index: int
    """Of the set."""
    question: int
    """Its id."""
    kind: Kind
    family: str
    answers: tuple[str | None, ...]
    """One for a factual question, else one for each option; None if it is missing."""
    correct: tuple[bool, ...]
    """For each answer."""

    @property
    def all_correct(self) -> bool:
        """Whether all options, or the answer, are correct."""
        return all(self.correct)

    @property
    def unanswered(self) -> bool:
        """Whether any answer is missing."""
        return None in self.answers

    @property
    def errors(self) -> int:
        """The number of answers "error"."""
        return self.answers.count(ERROR)

    @property
    def options(self) -> int:
        """The number of options; 0 for a factual question."""
        return 0 if self.kind == "factual" else len(self.correct)


@dataclass(frozen=True)
class Tally:
    """Counts over marks."""

    questions: int
    correct_questions: int
    parts: int
    """Options, and factual questions."""
    correct_parts: int
    unanswered: int
    """Questions with a missing answer."""
    errors: int
    """Options and factual questions that were answered with "error"."""
    options: Mapping[int, int]
    """The number of questions by number of options."""

    @property
    def per_question(self) -> float:
        """Percent of questions that are correct in all options."""
        return _percent(self.correct_questions, self.questions)

    @property
    def per_option(self) -> float:
        """Percent of options that are correct; for factual questions the same as per question."""
        return _percent(self.correct_parts, self.parts)

    @property
    def histogram(self) -> str:
        """The number of questions by number of options, as text: "2: 761, 3: 11"."""
        return ", ".join(f"{options}: {count:,}" for options, count in sorted(self.options.items()) if options)


def mark(questions: QuestionSet, answers: SetAnswers) -> list[Mark]:
    """Marks the answers to the questions about one set."""
    where = f"set {questions.index:05d}"
    ids = {question.id for question in questions.questions}
    unknown = next((number for number in answers if number not in ids), None)
    if unknown is not None:
        raise ScoringError(f"{where}: there is no question {unknown}; there are {_listed(ids)}")
    return [_mark(questions.index, question, answers.get(question.id), where) for question in questions.questions]


def mark_all(sets: Sequence[QuestionSet], answers: Answers) -> list[Mark]:
    """Marks the answers to the questions about several sets."""
    indices = {questions.index for questions in sets}
    unknown = next((index for index in answers if index not in indices), None)
    if unknown is not None:
        span = f"{min(indices):05d} to {max(indices):05d}" if indices else "none"
        raise ScoringError(f"set {unknown:05d}: there are no questions about it; the sets are {span}")
    return [one for questions in sets for one in mark(questions, answers.get(questions.index, {}))]


def missing_answers(sets: Sequence[QuestionSet], answers: Answers) -> list[str]:
    """Messages about sets, questions and options without an answer."""
    messages = []
    for questions in sets:
        if questions.index not in answers:
            messages.append(f"set {questions.index:05d}: not answered")
            continue
        for one in mark(questions, answers[questions.index]):
            where = f"set {one.index:05d}, question {one.question}"
            options = [str(k) for k, answer in enumerate(one.answers) if answer is None]
            if len(options) == len(one.answers):
                messages.append(f"{where}: not answered")
            elif options:
                messages.append(f"{where}: no answer to option {', '.join(options)}")
    return messages


def error_answers(marks: Iterable[Mark]) -> list[str]:
    """Messages about questions and options that were answered with "error"."""
    messages = []
    for one in marks:
        options = [str(k) for k, answer in enumerate(one.answers) if answer == ERROR]
        where = f"set {one.index:05d}, question {one.question}"
        if options:
            named = f", option {', '.join(options)}" if one.options else ""
            messages.append(f"{where}{named}: answered {ERROR!r}")
    return messages


def tally(marks: Iterable[Mark]) -> Tally:
    """Counts marks."""
    counted = list(marks)
    return Tally(
        questions=len(counted),
        correct_questions=sum(one.all_correct for one in counted),
        parts=sum(len(one.correct) for one in counted),
        correct_parts=sum(sum(one.correct) for one in counted),
        unanswered=sum(one.unanswered for one in counted),
        errors=sum(one.errors for one in counted),
        options=Counter(one.options for one in counted),
    )


def by_kind(marks: Sequence[Mark]) -> dict[Kind, Tally]:
    """The tally of each kind of question, without kinds that have no questions."""
    tallies = {kind: tally(one for one in marks if one.kind == kind) for kind in KINDS}
    return {kind: of_kind for kind, of_kind in tallies.items() if of_kind.questions}


def by_family(marks: Sequence[Mark]) -> dict[tuple[Kind, str], Tally]:
    """The tally of each template, by kind and name of the template."""
    groups: dict[tuple[Kind, str], list[Mark]] = {}
    for one in marks:
        groups.setdefault((one.kind, one.family), []).append(one)
    return {key: tally(groups[key]) for key in sorted(groups, key=lambda key: (KINDS.index(key[0]), key[1]))}


def _mark(index: int, question: Question, given: Answer | None, where: str) -> Mark:
    here = f"{where}, question {question.id}"
    check = _check_options if question.choices else _check_factual
    answers, correct = check(question, given, here)
    return Mark(index, question.id, question.kind, question.family, answers, correct)


def _check_factual(
    question: Question, given: Answer | None, here: str
) -> tuple[tuple[str | None, ...], tuple[bool, ...]]:
    if question.answer is None:
        raise ScoringError(f"{here}: its answer is withheld, so it can't be scored")
    if given is not None and not isinstance(given, str):
        raise ScoringError(f"{here} is factual and has no options; its answer must be text")
    return (given,), (given is not None and same_answer(given, question.answer),)


def _check_options(
    question: Question, given: Answer | None, here: str
) -> tuple[tuple[str | None, ...], tuple[bool, ...]]:
    if given == ERROR:
        given = dict.fromkeys((choice.id for choice in question.choices), ERROR)
    if isinstance(given, str):
        raise ScoringError(f"{here} has options; the answer to each must be {CORRECT!r} or {WRONG!r}, not {given!r}")
    by_option = given or {}
    ids = {choice.id for choice in question.choices}
    for number, answer in by_option.items():
        if number not in ids:
            raise ScoringError(f"{here}: there is no option {number}; there are {_listed(ids)}")
        if answer not in (CORRECT, WRONG, ERROR):
            raise ScoringError(f"{here}, option {number}: the answer must be {CORRECT!r} or {WRONG!r}, not {answer!r}")
    withheld = next((choice.id for choice in question.choices if choice.answer is None), None)
    if withheld is not None:
        raise ScoringError(f"{here}, option {withheld}: its answer is withheld, so it can't be scored")
    answers = tuple(by_option.get(choice.id) for choice in question.choices)
    return answers, tuple(answer == choice.answer for answer, choice in zip(answers, question.choices, strict=True))


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(numbers))) or "none"


def _percent(part: int, whole: int) -> float:
    return 100.0 * part / whole if whole else float("nan")
