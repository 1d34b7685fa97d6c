"""Scripted answers to ComPhy's questions: the true ones, and those of the agent `random` with their chances."""

import json
from collections.abc import Iterable
from functools import lru_cache
from statistics import fmean

from scripted_model import Request, Script

from tumble.comphy.agents.guessing import Random, answer_space
from tumble.comphy.catalogue.task import CORRECT, Question, Task
from tumble.comphy.evaluation.answer_key import cached_key
from tumble.comphy.llm.prompts import LETTERS
from tumble.comphy.llm.puzzle_set import puzzle_id
from tumble.comphy.questions.program import Answer


def true_answers(data: str, split: str) -> Script:
    """The answers of the dataset."""
    asked = questions(data, split)
    return lambda request: as_json(asked[request.task], true_answer(asked[request.task]))


def random_answers(data: str, split: str, seed: int) -> Script:
    """The answers of the agent `random`."""
    agent, texts = Random(seed), {}
    for of_set in cached_key(data, split).sets:
        answers = agent.answer(Task(of_set))
        texts.update({puzzle_id(of_set.index, one.id): as_json(one, answers[one.id]) for one in of_set.questions})

    def reply(request: Request) -> str:
        return texts[request.task]

    return reply


@lru_cache(maxsize=4)
def questions(data: str, split: str) -> dict[str, Question]:
    """The questions of a dataset by the ids of their puzzles, with their answers."""
    sets = cached_key(data, split).sets
    return {puzzle_id(of_set.index, one.id): one for of_set in sets for one in of_set.questions}


def chances(asked: Iterable[Question]) -> dict[str, float]:
    """The expected scores of random answers in per cent."""
    found: dict[str, list[float]] = {}
    for question in asked:
        if question.choices:
            found.setdefault(f"{question.kind}_per_option", []).extend([0.5] * len(question.choices))
            found.setdefault(f"{question.kind}_per_question", []).append(0.5 ** len(question.choices))
        else:
            found.setdefault("factual", []).append(1 / len(answer_space(question)))
    return {name: 100.0 * fmean(values) for name, values in found.items()}


def true_answer(question: Question) -> Answer:
    if not question.choices:
        return str(question.answer)
    return {choice.id: str(choice.answer) for choice in question.choices}


def as_json(question: Question, answer: Answer) -> str:
    """An answer in the form of a prompt."""
    if isinstance(answer, str):
        return json.dumps({"answer": answer})
    letters = [
        letter for choice, letter in zip(question.choices, LETTERS, strict=False) if answer[choice.id] == CORRECT
    ]
    return json.dumps({"correct": letters})
