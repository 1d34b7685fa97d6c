"""Programs as skeletons and literals: all questions of one skeleton run as one batch of tensor operations.

A skeleton is a list of steps; what differs between its questions (words, properties, orders, before or after, …) are
literals, one integer in a column of a table. Filters on visible words in a row are one step with four literals, where
ANY stands for no word, so that there are few skeletons.
"""

from dataclasses import dataclass
from functools import cache, lru_cache

from tumble.comphy.catalogue.task import Program
from tumble.comphy.catalogue.world import PLAIN, ObjectWorld
from tumble.comphy.models.pcr.words import ATTRIBUTES, NO_WORD, PASSAGES, PROPERTIES, SIDES, Words, words_of
from tumble.comphy.questions.program import LITERALS, NULL, ProgramError, Type, argument_count, check_program

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
