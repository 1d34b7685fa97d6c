"""A question about a set, with its program and its answer."""

from dataclasses import dataclass
from typing import Literal, get_args

Kind = Literal["factual", "predictive", "counterfactual"]
KINDS: tuple[Kind, ...] = get_args(Kind)
Program = tuple[str, ...]
"""Operators and literals in postfix order, as in the published files."""
CORRECT, WRONG = "correct", "wrong"
ERROR = "error"
"""The answer of a program that has none, as in the published files; never correct."""


@dataclass(frozen=True)
class Choice:
    """An option of a multiple-choice question. Its full program is its own followed by the question's."""

    id: int
    text: str
    program: Program
    answer: str | None
    """"correct" or "wrong"; None where answers are withheld."""


@dataclass(frozen=True)
class Question:
    """A factual question with an answer, or a multiple-choice question with options."""

    id: int
    kind: Kind
    family: str
    """The template that it was made from."""
    text: str
    program: Program
    answer: str | None = None
    choices: tuple[Choice, ...] = ()


@dataclass(frozen=True)
class QuestionSet:
    """The questions about one set."""

    index: int
    """Of the set."""
    questions: tuple[Question, ...]
