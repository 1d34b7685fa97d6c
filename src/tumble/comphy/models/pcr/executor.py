"""Runs a skeleton on a batch of scenes, and reads answers from its result."""

import torch
from torch import Tensor

from tumble.comphy.models.pcr.operators import (
    OPERATIONS,
    Context,
    LogPairs,
    LogWords,
    Number,
    Value,
    YesNo,
)
from tumble.comphy.models.pcr.programs import Skeleton
from tumble.comphy.models.pcr.words import words_of_width
from tumble.comphy.questions.program import AND, Type
from tumble.comphy.simulation.events import DIRECTIONS

MAX_COUNT = 5
"""The largest answer to a "how many" question."""


def execute(skeleton: Skeleton, literals: Tensor, context: Context) -> Value:
    """The result of a skeleton on scenes [question] with literals [question, column]."""
    return trace(skeleton, literals, context)[-1]


def trace(skeleton: Skeleton, literals: Tensor, context: Context) -> list[Value]:
    """The result of every step."""
    values: list[Value] = []
    for step in skeleton.steps:
        columns = literals[:, step.literals[0] : step.literals[-1] + 1] if step.literals else literals[:, :0]
        values.append(OPERATIONS[step.operation](context, columns, *(values[k] for k in step.inputs)))
    return values


def answers(skeleton: Skeleton, value: Value) -> list[str]:
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
