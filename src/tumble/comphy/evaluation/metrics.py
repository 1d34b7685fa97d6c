"""How many answers are right: by kind of question and by template, for each option and for each question.

A question that nobody answered counts as wrong and is counted; an answer to what was not asked is an error.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tumble.comphy.questions.answers import Answer, Answers, SetAnswers, same_answer
from tumble.comphy.tasks.question import CORRECT, KINDS, WRONG, Kind, Question, QuestionSet
from tumble.errors import TumbleError


class ScoringError(TumbleError):
    """Answers that can't be scored, and why."""


@dataclass(frozen=True)
class Mark:
    """How one question was answered."""

    index: int
    """Of the set."""
    question: int
    """Its id."""
    kind: Kind
    family: str
    given: tuple[str | None, ...]
    """One word for a factual question, else one for each option; None where there is no answer."""
    right: tuple[bool, ...]
    """As long."""

    @property
    def all_right(self) -> bool:
        """Whether the whole question was answered rightly."""
        return all(self.right)

    @property
    def unanswered(self) -> bool:
        """Whether an answer is missing, be it to one option."""
        return None in self.given

    @property
    def options(self) -> int:
        """How many there are to choose from; 0 for a factual question."""
        return 0 if self.kind == "factual" else len(self.right)


@dataclass(frozen=True)
class Tally:
    """Marks, counted."""

    questions: int
    right_questions: int
    parts: int
    """Options, or factual questions."""
    right_parts: int
    unanswered: int
    """Questions that lack an answer."""
    options: Mapping[int, int]
    """How many questions have so many options."""

    @property
    def per_question(self) -> float:
        """Percent of questions of which everything is right."""
        return _percent(self.right_questions, self.questions)

    @property
    def per_option(self) -> float:
        """Percent of options that are right; the same as above for factual questions."""
        return _percent(self.right_parts, self.parts)

    @property
    def histogram(self) -> str:
        """How many questions have how many options, in words: "2: 761, 3: 11"."""
        return ", ".join(f"{options}: {count:,}" for options, count in sorted(self.options.items()) if options)


def mark(questions: QuestionSet, answers: SetAnswers) -> list[Mark]:
    """How the questions about one set were answered."""
    where = f"set {questions.index:05d}"
    known = {question.id for question in questions.questions}
    stray = next((number for number in answers if number not in known), None)
    if stray is not None:
        raise ScoringError(f"{where}: there is no question {stray}; there are {_listed(known)}")
    return [_marked(questions.index, question, answers.get(question.id), where) for question in questions.questions]


def mark_all(sets: Sequence[QuestionSet], answers: Answers) -> list[Mark]:
    """How the questions about several sets were answered."""
    known = {questions.index for questions in sets}
    stray = next((index for index in answers if index not in known), None)
    if stray is not None:
        span = f"{min(known):05d} to {max(known):05d}" if known else "none"
        raise ScoringError(f"set {stray:05d}: no questions were asked about it; the sets here are {span}")
    return [one for questions in sets for one in mark(questions, answers.get(questions.index, {}))]


def missing(sets: Sequence[QuestionSet], answers: Answers) -> list[str]:
    """What was not answered, in words: whole sets, questions, options."""
    found = []
    for questions in sets:
        if questions.index not in answers:
            found.append(f"set {questions.index:05d}: not answered")
            continue
        for one in mark(questions, answers[questions.index]):
            if all(given is None for given in one.given):
                found.append(f"set {one.index:05d}, question {one.question}: not answered")
            elif one.unanswered:
                lacking = [str(k) for k, given in enumerate(one.given) if given is None]
                found.append(f"set {one.index:05d}, question {one.question}: no answer to option {', '.join(lacking)}")
    return found


def tally(marks: Iterable[Mark]) -> Tally:
    """Marks, counted."""
    kept = list(marks)
    return Tally(
        questions=len(kept),
        right_questions=sum(one.all_right for one in kept),
        parts=sum(len(one.right) for one in kept),
        right_parts=sum(sum(one.right) for one in kept),
        unanswered=sum(one.unanswered for one in kept),
        options=Counter(one.options for one in kept),
    )


def by_kind(marks: Sequence[Mark]) -> dict[Kind, Tally]:
    """The tally of each kind of question that there is."""
    found = {kind: tally(one for one in marks if one.kind == kind) for kind in KINDS}
    return {kind: own for kind, own in found.items() if own.questions}


def by_family(marks: Sequence[Mark]) -> dict[tuple[Kind, str], Tally]:
    """The tally of each template, by kind and name."""
    groups: dict[tuple[Kind, str], list[Mark]] = {}
    for one in marks:
        groups.setdefault((one.kind, one.family), []).append(one)
    return {key: tally(groups[key]) for key in sorted(groups, key=lambda key: (KINDS.index(key[0]), key[1]))}


def _marked(index: int, question: Question, given: Answer | None, where: str) -> Mark:
    here = f"{where}, question {question.id}"
    if question.choices:
        words, right = _options(question, given, here)
    else:
        words, right = _word(question, given, here)
    return Mark(index, question.id, question.kind, question.family, words, right)


def _word(question: Question, given: Answer | None, here: str) -> tuple[tuple[str | None], tuple[bool]]:
    if question.answer is None:
        raise ScoringError(f"{here}: its answer is withheld, so nothing can be scored")
    if given is not None and not isinstance(given, str):
        raise ScoringError(f"{here} is factual and has no options; its answer is a word")
    return (given,), (given is not None and same_answer(given, question.answer),)


def _options(question: Question, given: Answer | None, here: str) -> tuple[tuple[str | None, ...], tuple[bool, ...]]:
    if isinstance(given, str):
        raise ScoringError(f"{here} has options; its answer is {CORRECT!r} or {WRONG!r} for each, not {given!r}")
    chosen = given or {}
    known = {choice.id for choice in question.choices}
    for number, word in chosen.items():
        if number not in known:
            raise ScoringError(f"{here}: there is no option {number}; there are {_listed(known)}")
        if word not in (CORRECT, WRONG):
            raise ScoringError(f"{here}, option {number}: the answer is {CORRECT!r} or {WRONG!r}, not {word!r}")
    withheld = next((choice.id for choice in question.choices if choice.answer is None), None)
    if withheld is not None:
        raise ScoringError(f"{here}, option {withheld}: its answer is withheld, so nothing can be scored")
    words = tuple(chosen.get(choice.id) for choice in question.choices)
    return words, tuple(word == choice.answer for word, choice in zip(words, question.choices, strict=True))


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(numbers))) or "none"


def _percent(part: int, whole: int) -> float:
    return 100.0 * part / whole if whole else float("nan")
