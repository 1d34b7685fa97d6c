"""Questions compiled to skeletons and literals: those of one skeleton run as one batch of operations.

A skeleton is a list of steps; what differs between its questions (words, properties, orders, before or after, …) are
literals, one integer in a column of a table. Filters on visible words in a row are one step with four literals, where
ANY stands for no word, so that there are few skeletons. All questions of many sets are tensors grouped by skeleton;
an option counts as a question of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import torch
from torch import Tensor

from tumble.comphy.catalogue.task import CORRECT, Program, Question, QuestionSet
from tumble.comphy.catalogue.world import PLAIN, ObjectWorld
from tumble.comphy.models.pcr.concepts import (
    ATTRIBUTES,
    NO_WORD,
    PASSAGES,
    PROPERTIES,
    SIDES,
    Words,
    words_of,
    words_of_width,
)
from tumble.comphy.models.pcr.operators import OPERATIONS, Context, LogPairs, LogWords, Number, Value, YesNo
from tumble.comphy.questions.program import AND, LITERALS, NULL, ProgramError, Type, argument_count, check_program
from tumble.comphy.simulation.events import DIRECTIONS

ANY = (NO_WORD,) * (len(ATTRIBUTES) + 1)
"""The literals of a description without words."""
_FAMILIES: dict[str, tuple[str, int]] = {
    **{f"filter_{word}": ("filter_property", k) for k, word in enumerate(PROPERTIES)},
    **{f"filter_{word}": ("filter_passage", k) for k, word in enumerate(PASSAGES)},
    **{f"filter_{word}": ("filter_side", k) for k, word in enumerate(SIDES)},
    **{f"query_{word}": ("query_word", k) for k, word in enumerate(ATTRIBUTES)},
    **{f"query_both_{word}": ("query_both", k) for k, word in enumerate(ATTRIBUTES)},
    "is_heavier": ("compare_masses", 0),
    "is_lighter": ("compare_masses", 1),
    "filter_start": ("boundary", 0),
    "filter_end": ("boundary", 1),
}
"""Tokens that differ in a literal only: step and literal."""
_MOTION_TOKENS = {"filter_moving": 0, "filter_stationary": 1, "filter_resting": 1}
_PLAIN = frozenset(
    (
        *("events", "unseen_events", "all_events", "unique", "count", "exist", "belong_to", "filter_collision"),
        *("query_object", "query_collision_partner", "filter_mass", "equal_charge"),
    )
)


@dataclass(frozen=True)
class Step:
    """One tensor operation: it reads the results of earlier steps and some columns of the table of literals."""

    operation: str
    inputs: tuple[int, ...]
    literals: tuple[int, ...] = ()


@dataclass(frozen=True)
class Skeleton:
    """A program without its literals; the last step gives the answer."""

    steps: tuple[Step, ...]
    result: Type
    """The type of the answer."""


@dataclass(frozen=True)
class CompiledProgram:
    """A skeleton and the literals of one program."""

    skeleton: Skeleton
    literals: tuple[int, ...]


@dataclass(frozen=True)
class _Node:
    """A step before it has a number."""

    operation: str
    inputs: tuple["_Node", ...] = ()
    literals: tuple[int, ...] = ()


@lru_cache(maxsize=65536)
def compile_program(program: Program, world: ObjectWorld = PLAIN) -> CompiledProgram:
    """The skeleton and the literals of a program (of an option: its own, followed by that of its question).

    >>> one = compile_program(("objects", "red", "filter_color", "count"))
    >>> other = compile_program(("objects", "metal", "filter_material", "cube", "filter_shape", "count"))
    >>> one.skeleton == other.skeleton, one.literals, other.literals
    (True, (1, 99, 99, 99), (99, 1, 0, 99))
    """
    result = check_program(program)
    words = words_of(world)
    stack: list[_Node | str] = []
    for position, token in enumerate(program):
        if token in LITERALS:
            stack.append(token)
            continue
        first = len(stack) - argument_count(token)
        arguments, stack = stack[first:], stack[:first]
        stack.append(_node(token, arguments, position, words))
    (root,) = stack
    assert isinstance(root, _Node)
    steps: list[Step] = []
    literals: list[int] = []
    _number(root, steps, literals)
    return CompiledProgram(_shared(Skeleton(tuple(steps), result)), tuple(literals))


@cache
def _shared(skeleton: Skeleton) -> Skeleton:
    """One object for equal skeletons, so that they are found quickly."""
    return skeleton


def _node(token: str, arguments: list[_Node | str], position: int, known: Words) -> _Node:
    nodes = tuple(argument for argument in arguments if isinstance(argument, _Node))
    words = [argument for argument in arguments if isinstance(argument, str)]
    unknown = [word for word in words if word != NULL and word not in known.literal_index]
    if unknown:
        raise ProgramError(f"token {position - 1}: there is no {unknown[0]!r} in the {known.world.name} world")
    if token == "objects":
        return _Node("describe", (), ANY)
    if token in ("filter_color", "filter_material", "filter_shape"):
        return _described(nodes[0], ATTRIBUTES.index(token.removeprefix("filter_")), known.literal_index[words[0]])
    if token in _MOTION_TOKENS:
        motion = _MOTION_TOKENS[token]
        return _described(nodes[0], 3, motion) if words == [NULL] else _Node("filter_motion", nodes, (motion,))
    if token == "query_direction":
        return _Node("query_direction" if words == [NULL] else "query_direction_at", nodes)
    if token == "query_frame":
        return nodes[0]
    if token in ("not", "negate"):
        return _Node("not", nodes)
    if token == "filter_order":
        return _Node("filter_order", nodes, (known.literal_index[words[0]],))
    if token in ("filter_counterfact", "counterfact_events"):
        events = () if token == "filter_counterfact" else (_Node("all_events"),)
        return _Node("filter_counterfact", (*events, *nodes), (known.literal_index[words[0]],))
    if token in _FAMILIES:
        operation, literal = _FAMILIES[token]
        if operation == "query_both" and nodes[0].operation == "unique":
            nodes = nodes[0].inputs  # the pair of bodies that "unique" keeps
        return _Node(operation, nodes if operation != "boundary" else (), (literal,))
    if token in _PLAIN:
        return _Node(token, nodes)
    raise ProgramError(f"token {position} ({token!r}): PCR's executor does not have this operator")


def _described(node: _Node, place: int, literal: int) -> _Node:
    """A description with one more word."""
    if node.operation == "describe" and node.literals[place] == ANY[place]:
        return _Node("describe", node.inputs, (*node.literals[:place], literal, *node.literals[place + 1 :]))
    return _Node("describe", (node,), (*ANY[:place], literal, *ANY[place + 1 :]))


def _number(node: _Node, steps: list[Step], literals: list[int]) -> int:
    """Adds a node's steps and literals; returns the number of its step."""
    inputs = tuple(_number(one, steps, literals) for one in node.inputs)
    columns = tuple(range(len(literals), len(literals) + len(node.literals)))
    literals.extend(node.literals)
    steps.append(Step(node.operation, inputs, columns))
    return len(steps) - 1


MAX_COUNT = 5
"""The largest answer to a "how many" question."""


def execute(skeleton: Skeleton, literals: Tensor, context: Context) -> Value:
    """The result of a skeleton on scenes [question] with literals [question, column]."""
    return trace_skeleton(skeleton, literals, context)[-1]


def trace_skeleton(skeleton: Skeleton, literals: Tensor, context: Context) -> list[Value]:
    """The result of every step."""
    values: list[Value] = []
    for step in skeleton.steps:
        columns = literals[:, step.literals[0] : step.literals[-1] + 1] if step.literals else literals[:, :0]
        values.append(OPERATIONS[step.operation](context, columns, *(values[k] for k in step.inputs)))
    return values


def answer_texts(skeleton: Skeleton, value: Value) -> list[str]:
    """The answers of a result, as in the files: words, "yes" and "no", numbers, "A and B"."""
    if isinstance(value, YesNo):
        return ["yes" if score > 0 else "no" for score in value.score.tolist()]
    if isinstance(value, Number):
        return [str(min(round(number), MAX_COUNT)) for number in value.value.tolist()]
    if isinstance(value, LogWords):
        words = DIRECTIONS if skeleton.result == Type.DIRECTION else words_of_width(value.values.shape[-1]).all
        return [words[k] for k in value.values.argmax(-1).tolist()]
    assert isinstance(value, LogPairs), f"a program that ends with {skeleton.steps[-1].operation}"
    width = value.values.shape[-1]
    words = words_of_width(width).all
    chances = value.values.exp()
    best = (torch.triu(chances) + torch.triu(chances, 1)).flatten(1).argmax(-1).tolist()  # either order
    return [words[k // width] + AND + words[k % width] for k in best]


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
class QuestionGroup:
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


def grouped_by_skeleton(
    asked: Sequence[Asked], device: torch.device, world: ObjectWorld = PLAIN
) -> list[QuestionGroup]:
    """Questions by skeleton, the most frequent first."""
    groups: dict[int, list[Asked]] = {}
    for one in asked:
        groups.setdefault(id(one.compiled.skeleton), []).append(one)
    words = words_of(world)
    return [_group(tuple(group), device, words) for group in sorted(groups.values(), key=len, reverse=True)]


def _group(asked: tuple[Asked, ...], device: torch.device, words: Words) -> QuestionGroup:
    skeleton = asked[0].compiled.skeleton
    return QuestionGroup(
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
