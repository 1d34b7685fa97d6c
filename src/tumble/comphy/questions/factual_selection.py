"""Asks factual questions: draws templates and slot values until the answer keeps the block balanced."""

from collections.abc import Hashable
from dataclasses import replace
from itertools import groupby

from tumble.comphy.questions.answer_balance import AnswerBalance
from tumble.comphy.questions.answers import answers_by_type
from tumble.comphy.questions.described_scene import DescribedScene
from tumble.comphy.questions.factual_templates import FACTUAL
from tumble.comphy.questions.programs.program import Type
from tumble.comphy.questions.template import Template
from tumble.comphy.tasks.body import world_of_bodies
from tumble.comphy.tasks.question import Program, Question
from tumble.comphy.tasks.world import ALL_MATERIALS, ALL_SHAPES, COLORS
from tumble.draws import Draws

SHARES = {
    Type.YES_NO: 0.21,
    Type.NUMBER: 0.17,
    Type.COLOR: 0.21,
    Type.MATERIAL: 0.13,
    Type.SHAPE: 0.16,
    Type.DIRECTION: 0.04,
    Type.COLORS: 0.03,
    Type.MATERIALS: 0.02,
    Type.SHAPES: 0.03,
}
"""Share of each type of answer, as in the published answers of the test split."""
JITTER = 2.0
"""Questions by which chance shifts a type or a template in the order in which they are tried."""
TRIES = 10
"""Draws from one template."""
ATTRIBUTE_MARK = "…"
ATTRIBUTE_TOKENS = frozenset((*COLORS, *ALL_MATERIALS, *ALL_SHAPES, "filter_color", "filter_material", "filter_shape"))


def ask_factual(scene: DescribedScene, count: int, balance: AnswerBalance, draws: Draws) -> list[Question]:
    """Asks a number of factual questions that are not alike; fewer where no more can be found."""
    questions: list[Question] = []
    while len(questions) < count:
        question = _next_question(scene, questions, balance, draws)
        if question is None:
            break
        questions.append(question)
    return questions


def _next_question(
    scene: DescribedScene, questions: list[Question], balance: AnswerBalance, draws: Draws
) -> Question | None:
    used = {question.family for question in questions}
    kinds = sorted(SHARES, key=lambda kind: (balance.question_counts[kind] + draws.between(0.0, JITTER)) / SHARES[kind])
    for kind in kinds:
        unused = [template for template in FACTUAL if kind in template.answers and template.family not in used]
        for template in sorted(
            unused, key=lambda own: balance.question_counts[kind, own.family] + draws.between(0.0, JITTER)
        ):
            question = _ask(scene, template, kind, questions, balance, draws)
            if question:
                balance.question_counts[kind] += 1
                balance.question_counts[kind, template.family] += 1
                return question
    return None


def _ask(
    scene: DescribedScene,
    template: Template,
    kind: Type,
    questions: list[Question],
    balance: AnswerBalance,
    draws: Draws,
) -> Question | None:
    answers = answers_by_type(world_of_bodies(scene.symbolic.bodies))
    for _ in range(TRIES):
        values = template.fill(scene, draws, template.answers[kind])
        if values is None:
            continue
        program = template.phrase.program_of(values)
        if any(_alike(scene, program, other.program) for other in questions):
            continue
        answer = scene.interpreter.execute(program)
        words = tuple(values.get(name) for name in template.balanced)
        keys: list[Hashable] = [kind, (template.family, kind), (template.family, kind, words)]
        pattern = template.family, program_pattern(program)
        if answer not in answers[kind] or not scene.clear_answers.is_clear(program):
            continue
        accepted = balance.accepts(keys, answer)
        if kind in (Type.YES_NO, Type.NUMBER) and not balance.varies(pattern, answer):
            continue
        if accepted:
            balance.add_answer([*keys, pattern], answer)
            return replace(template.question(values, draws), answer=answer)
    return None


def program_pattern(program: Program) -> Program:
    """A program with one mark for the visible attributes of each body.

    >>> program_pattern(("objects", "red", "filter_color", "cube", "filter_shape", "unique", "query_material"))
    ('objects', '…', 'unique', 'query_material')
    """
    marked = [ATTRIBUTE_MARK if token in ATTRIBUTE_TOKENS else token for token in program]
    return tuple(token for token, _ in groupby(marked))


def _alike(scene: DescribedScene, one: Program, other: Program) -> bool:
    """Whether two programs use the same words, or ask for the same kind of thing about the same bodies or events."""
    if sorted(one[:-1]) == sorted(other[:-1]):
        return True
    if one[-1].split("_")[0] != other[-1].split("_")[0]:
        return False
    subjects = [scene.interpreter.subject(program) for program in (one, other)]
    return bool(subjects[0]) and subjects[0] == subjects[1]
