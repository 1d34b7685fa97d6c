"""All questions of many sets as tensors, grouped by skeleton; an option counts as a question of its own."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from tumble.comphy.catalogue.task import CORRECT, Question, QuestionSet
from tumble.comphy.catalogue.world import PLAIN, ObjectWorld
from tumble.comphy.models.pcr.executor import MAX_COUNT
from tumble.comphy.models.pcr.programs import CompiledProgram, Skeleton, compile_program
from tumble.comphy.models.pcr.words import Words, words_of
from tumble.comphy.questions.program import AND, LITERALS, Type

_PHYSICAL = frozenset(("filter_property", "filter_mass", "compare_masses", "equal_charge"))
_PREDICTED = frozenset(("unseen_events", "filter_counterfact"))


@dataclass(frozen=True)
class Asked:
    """A question, or an option of one."""

    row: int
    """Of its set."""
    question: Question
    choice: int | None
    """The position of the option."""
    compiled: CompiledProgram

    @property
    def answer(self) -> str | None:
        """The answer, or for an option "yes" or "no"."""
        if self.choice is None:
            return self.question.answer
        answer = self.question.choices[self.choice].answer
        return None if answer is None else "yes" if answer == CORRECT else "no"


@dataclass(frozen=True, eq=False)
class Group:
    """The questions of one skeleton."""

    skeleton: Skeleton
    asked: tuple[Asked, ...]
    rows: Tensor
    """int64 [question]: of the sets."""
    literals: Tensor
    """int64 [question, column]."""
    answers: Tensor
    """int64 [question, 2]: 1 or 0 for yes or no, a number, or the indices of one or two words; -1 if unknown."""

    @property
    def needs_properties(self) -> bool:
        """Whether hidden properties are asked for or needed."""
        return any(step.operation in _PHYSICAL | _PREDICTED for step in self.skeleton.steps)

    @property
    def future(self) -> bool:
        """Whether motion after the shown frames is asked for."""
        return any(step.operation == "unseen_events" for step in self.skeleton.steps)

    @property
    def altered(self) -> bool:
        """Whether a counterfactual change is asked about."""
        return any(step.operation == "filter_counterfact" for step in self.skeleton.steps)


@dataclass(frozen=True, eq=False)
class Suppositions:
    """What counterfactual questions suppose: a described body, and the change that could be made to it."""

    rows: Tensor
    """int64 [question]."""
    literals: Tensor
    """int64 [question, 4]: the description."""
    changes: Tensor
    """int64 [question]."""


def asked_questions(questions: Sequence[QuestionSet], world: ObjectWorld = PLAIN) -> list[Asked]:
    """Every factual question and every option, with the number of its set."""
    found = []
    for row, one in enumerate(questions):
        for question in one.questions:
            if not question.choices and question.kind == "factual":
                found.append(Asked(row, question, None, compile_program(question.program, world)))
            for number, choice in enumerate(question.choices):
                program = choice.program + question.program
                found.append(Asked(row, question, number, compile_program(program, world)))
    return found


def grouped(asked: Sequence[Asked], device: torch.device, world: ObjectWorld = PLAIN) -> list[Group]:
    """Questions by skeleton, the most frequent first."""
    groups: dict[int, list[Asked]] = {}
    for one in asked:
        groups.setdefault(id(one.compiled.skeleton), []).append(one)
    words = words_of(world)
    return [_group(tuple(group), device, words) for group in sorted(groups.values(), key=len, reverse=True)]


def _group(asked: tuple[Asked, ...], device: torch.device, words: Words) -> Group:
    skeleton = asked[0].compiled.skeleton
    return Group(
        skeleton,
        asked,
        torch.tensor([one.row for one in asked], device=device),
        torch.tensor([one.compiled.literals for one in asked], dtype=torch.long, device=device).reshape(len(asked), -1),
        torch.tensor([_answer_codes(one.answer, skeleton.result, words) for one in asked], device=device),
    )


def _answer_codes(answer: str | None, kind: Type, words: Words) -> tuple[int, int]:
    if answer is None:
        return -1, -1
    if kind == Type.YES_NO:
        return int(answer == "yes"), -1
    if kind == Type.NUMBER:
        return min(int(answer), MAX_COUNT), -1
    if kind == Type.DIRECTION:
        return words.literal_index[answer], -1
    one, _, other = answer.partition(AND)
    return words.all.index(one), words.all.index(other) if other else -1


def suppositions(questions: Sequence[QuestionSet], device: torch.device, world: ObjectWorld = PLAIN) -> Suppositions:
    """The suppositions of all counterfactual questions of the form `all_events {body} {change} …`."""
    rows, literals, changes = [], [], []
    for row, one in enumerate(questions):
        for question in one.questions:
            at = next((k for k, token in enumerate(question.program) if LITERALS.get(token) == Type.CHANGE), 0)
            if at < 2 or question.program[0] != "all_events":
                continue
            body = question.program[1 : at - 1]
            described = compile_program(body, world) if question.program[at - 1] == "unique" else None
            if described is not None and len(described.skeleton.steps) == 1:
                rows.append(row)
                literals.append(described.literals)
                changes.append(words_of(world).literal_index[question.program[at]])
    return Suppositions(
        torch.tensor(rows, dtype=torch.long, device=device),
        torch.tensor(literals, dtype=torch.long, device=device).reshape(len(rows), 4),
        torch.tensor(changes, dtype=torch.long, device=device),
    )
