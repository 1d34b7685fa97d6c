"""Tests of PCR's executor: on the scores of true scenes it gives the answers of the interpreter."""

from dataclasses import replace
from functools import cache

import pytest
import torch
from generated_dataset import made

from tumble.comphy.catalogue.task import Program
from tumble.comphy.dataset.load import open_dataset
from tumble.comphy.models.pcr.concepts import SlotLayout
from tumble.comphy.models.pcr.operators import Context, LogWords
from tumble.comphy.models.pcr.programs import answer_texts, compile_program, execute
from tumble.comphy.models.pcr.reason import true_changes, true_scores
from tumble.comphy.questions.interpreter import Interpreter
from tumble.comphy.questions.program import ProgramError, same_answer
from tumble.comphy.questions.symbolic_scene import SymbolicScene, symbolic_scene

LAYOUT = SlotLayout(collisions=4)


@cache
def scenes() -> list[tuple[SymbolicScene, list[Program]]]:
    found = []
    for example in open_dataset(made()).examples():
        programs = [
            choice.program + question.program for question in example.questions.questions for choice in question.choices
        ]
        programs += [question.program for question in example.questions.questions if not question.choices]
        found.append((symbolic_scene(example.videos), programs))
    return found


def context_of(scene: SymbolicScene, soft: bool) -> Context:
    slots = LAYOUT.tensors(torch.device("cpu"))
    return Context(true_scores(scene, LAYOUT), slots, true_changes(scene, LAYOUT), soft)


@pytest.mark.parametrize("soft", [False, True])
def test_true_scores_give_the_interpreters_answers(soft: bool) -> None:
    checked = 0
    for scene, programs in scenes():
        context, interpreter = context_of(scene, soft), Interpreter(scene)
        for program in programs:
            compiled = compile_program(program)
            value = execute(compiled.skeleton, torch.tensor([compiled.literals]), context)
            assert same_answer(answer_texts(compiled.skeleton, value)[0], interpreter.execute(program)), program
            checked += 1
    assert checked > 50


def test_questions_of_one_skeleton_run_as_a_batch() -> None:
    scene, _ = scenes()[0]
    bodies = scene.bodies
    programs = [
        ("objects", word, f"filter_{name}", "count")
        for name in ("color", "material", "shape")
        for word in {getattr(body, name) for body in bodies}
    ]
    compiled = [compile_program(program) for program in programs]
    assert len({one.skeleton for one in compiled}) == 1
    context = context_of(scene, soft=False)
    rows = torch.zeros(len(programs), dtype=torch.long)
    batch = Context(context.scenes.rows(rows), context.slots, context.altered, soft=False)
    value = execute(compiled[0].skeleton, torch.tensor([one.literals for one in compiled]), batch)
    expected = [Interpreter(scene).execute(program) for program in programs]
    assert answer_texts(compiled[0].skeleton, value) == expected


def test_gradients_reach_the_scores_of_words() -> None:
    scene, _ = scenes()[0]
    context = context_of(scene, soft=True)
    words = (context.scenes.words * 0.1).requires_grad_()
    colour = scene.bodies[0].color
    compiled = compile_program(("objects", colour, "filter_color", "unique", "query_shape"))
    value = execute(
        compiled.skeleton,
        torch.tensor([compiled.literals]),
        Context(replace(context.scenes, words=words), context.slots, context.altered, soft=True),
    )
    assert isinstance(value, LogWords)
    value.values.max().backward()  # type: ignore[no-untyped-call]
    assert words.grad is not None
    assert (words.grad != 0).any()


def test_an_operator_that_questions_do_not_use_is_named() -> None:
    program = ("events", "events", "filter_start", "filter_ancestor", "count")
    with pytest.raises(ProgramError, match="filter_ancestor"):
        compile_program(program)
