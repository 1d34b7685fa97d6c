"""Asks factual questions: draws templates and what they are about, until an answer is welcome."""

from collections.abc import Hashable
from dataclasses import replace

from tumble.comphy.questions.answers import ANSWERS
from tumble.comphy.questions.balance import Balance
from tumble.comphy.questions.factual_templates import FACTUAL
from tumble.comphy.questions.programs.program import Type
from tumble.comphy.questions.scene import Scene
from tumble.comphy.questions.template import Template
from tumble.comphy.tasks.question import Program, Question
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
"""How often each type of answer is asked for, as in the published answers to the test set."""
JITTER = 2.0
"""Questions by which chance moves a type or a template in the order in which they are tried."""
TRIES = 10
"""Draws from one template."""


def ask_factual(scene: Scene, count: int, balance: Balance, draws: Draws) -> list[Question]:
    """So many factual questions that don't resemble each other; fewer where no more can be found."""
    found: list[Question] = []
    while len(found) < count:
        question = _next(scene, found, balance, draws)
        if question is None:
            break
        found.append(question)
    return found


def _next(scene: Scene, found: list[Question], balance: Balance, draws: Draws) -> Question | None:
    used = {question.family for question in found}
    kinds = sorted(SHARES, key=lambda kind: (balance.asked[kind] + draws.between(0.0, JITTER)) / SHARES[kind])
    for kind in kinds:
        open_ones = [template for template in FACTUAL if kind in template.answers and template.family not in used]
        for template in sorted(open_ones, key=lambda own: balance.asked[kind, own.family] + draws.between(0.0, JITTER)):
            question = _ask(scene, template, kind, found, balance, draws)
            if question:
                balance.asked[kind] += 1
                balance.asked[kind, template.family] += 1
                return question
    return None


def _ask(
    scene: Scene, template: Template, kind: Type, found: list[Question], balance: Balance, draws: Draws
) -> Question | None:
    for _ in range(TRIES):
        values = template.fill(scene, draws, template.answers[kind])
        if values is None:
            continue
        program = template.phrase.program_of(values)
        if any(_resemble(scene, program, other.program) for other in found):
            continue
        answer = scene.executor.execute(program)
        told = tuple(values.get(name) for name in template.balanced)
        keys: list[Hashable] = [kind, (template.family, kind), (template.family, kind, told)]
        if answer in ANSWERS[kind] and balance.accepts(keys, answer):
            balance.give(keys, answer)
            return replace(template.question(values, draws), answer=answer)
    return None


def _resemble(scene: Scene, one: Program, other: Program) -> bool:
    """Whether two programs ask about the same things: with the same words, or in the same way about the same bodies."""
    if sorted(one[:-1]) == sorted(other[:-1]):
        return True
    same_way = one[-1].split("_")[0] == other[-1].split("_")[0]
    subjects = [scene.executor.subject(program) for program in (one, other)]
    return same_way and bool(subjects[0]) and subjects[0] == subjects[1]
