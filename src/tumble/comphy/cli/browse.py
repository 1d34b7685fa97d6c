"""`tumble comphy show`, `ask` and `inspect`: a set or a model's answers as a page, and answers to questions.

A set is looked up by its number in a dataset, or generated from a seed.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from tumble.cli.options import agents_with_settings
from tumble.comphy.agents import REGISTRY, Agent
from tumble.comphy.agents.agent import Explanation
from tumble.comphy.catalogue.body import Body, world_of_bodies
from tumble.comphy.catalogue.task import Choice, Program, Question, QuestionSet, Task
from tumble.comphy.catalogue.video_set import Family, VideoSet, named_family
from tumble.comphy.catalogue.world import PLAIN
from tumble.comphy.dataset.folder import Settings
from tumble.comphy.dataset.load import Dataset, open_dataset
from tumble.comphy.dataset.observe import observe_stored, stored_pictures
from tumble.comphy.dataset.question_files import without_answers
from tumble.comphy.evaluation.answer_key import VIDEO_SIZE
from tumble.comphy.evaluation.evaluate import train
from tumble.comphy.evaluation.metrics import mark
from tumble.comphy.evaluation.result import given_text
from tumble.comphy.evaluation.run_spec import ComPhyRunSpec
from tumble.comphy.generation.make_set import make_set
from tumble.comphy.observation.clips import render_videos
from tumble.comphy.observation.video import decode_video
from tumble.comphy.questions.ask import ask_block
from tumble.comphy.questions.interpreter import Interpreter
from tumble.comphy.questions.parser import ParseError, parse_question
from tumble.comphy.questions.symbolic_scene import symbolic_scene
from tumble.comphy.report.inspection_page import Inspected, inspection_page
from tumble.comphy.report.set_page import page_of
from tumble.comphy.simulation.events import pairs_of
from tumble.errors import TumbleError
from tumble.learning.settings import needs_torch
from tumble.output import check_target, console, plural, print_line, reports_errors, spinner, table
from tumble.report import page
from tumble.runs.header import agent_label
from tumble.runs.participant import attributing_errors


@dataclass(frozen=True, eq=False)
class LoadedSet:
    """A set, and the dataset that it comes from; None if it was generated."""

    videos: VideoSet
    data: Dataset | None

    def questions(self) -> QuestionSet:
        """The questions of the dataset, or generated ones with as many options as in the test split."""
        if self.data is not None:
            return self.data.questions.get(self.videos.index, QuestionSet(self.videos.index, ()))
        options = Settings(1, 1, None, world=world_of_bodies(self.videos.bodies).name).option_settings("test")
        return ask_block({self.videos.index: symbolic_scene(self.videos)}, self.videos.seed, options)[0]

    def mp4_files(self) -> list[bytes]:
        """The MP4 files of the dataset; empty unless it has all of the set."""
        if self.data is None:
            return []
        layout, index = self.data.layout, self.videos.index
        paths = [self.data.files.check(layout.video(index, which)) for which in layout.videos]
        return [path.read_bytes() for path in paths] if all(path.exists() for path in paths) else []


def find_set(text: str, data: Path | None, seed: int, family: str | None, world: str = PLAIN.name) -> LoadedSet:
    """The set with a number like 00042; seed, family and world are those of a set that is not in a dataset."""
    if not re.fullmatch(r"\d{1,9}", text):
        raise TumbleError(f"{text!r} is not a set; sets have numbers, as in 00042")
    index = int(text)
    if data is not None:
        dataset = open_dataset(data)
        if dataset.is_real:
            raise TumbleError(
                f"{data}: real videos have no annotations of motion, so sets can't be shown or asked about"
            )
        return LoadedSet(dataset.example(index).videos, dataset)
    with spinner("Generating the set …"):
        return LoadedSet(make_set(index, parse_family(family), seed, world), None)


def parse_size(text: str) -> tuple[int, int]:
    """Width and height of a size like 240x160."""
    match = re.fullmatch(r"(\d{1,5})x(\d{1,5})", text)
    if not match:
        raise TumbleError(f"a size is a width and a height, as in 240x160, not {text!r}")
    return int(match[1]), int(match[2])


def parse_family(name: str | None) -> Family | None:
    """A family by its name; None for None."""
    return None if name is None else named_family(name)


PARSERS = ("template", "learned")
"""What turns a typed question into a program."""


@reports_errors
def show(
    text: str,
    out: Path | None,
    data: Path | None,
    seed: int,
    family: str | None,
    size: str,
    video: bool,
    device: str,
    renderer: str,
    world: str = PLAIN.name,
) -> None:
    """Prints the bodies and questions of a set, and optionally writes its page."""
    check_target(out, ".html", ".htm")
    pixels = parse_size(size)
    loaded = find_set(text, data, seed, family, world)
    questions = loaded.questions()
    _print_bodies(loaded.videos)
    for question in questions.questions:
        answers = question.answer or ", ".join(f"{choice.text}: {choice.answer}" for choice in question.choices)
        print_line(f"{question.id}. {question.text}  {answers}")
    if out:
        mp4_files = (loaded.mp4_files() or render_videos(loaded.videos, pixels, device, renderer)) if video else []
        page.write(page_of(loaded.videos, questions, mp4_files), out)
        print_line(f"Written to {out}.")


@reports_errors
def ask(
    text: str,
    question: str,
    data: Path | None,
    seed: int,
    family: str | None,
    parser: str,
    world: str = PLAIN.name,
) -> None:
    """Prints a question's program, its steps and its answer."""
    parsed = _parsed(question, parser)
    videos = find_set(text, data, seed, family, world).videos
    _print_bodies(videos)
    interpreter = Interpreter(symbolic_scene(videos))
    print_line(f"Program: {' '.join(parsed.program)}")
    if parsed.kind == "factual":
        _print_steps(interpreter, parsed.program)
        print_line(f"Answer: {interpreter.execute(parsed.program)}")
        return
    for pair in pairs_of(len(videos.bodies)):
        bodies = [videos.bodies[k] for k in pair]
        choice = Choice(0, f"The {bodies[0]} and the {bodies[1]} collide", _collision_program(*bodies), None)
        (answer,) = interpreter.answers(replace(parsed, choices=(choice,)))
        print_line(f"{choice.text}: {answer}")


def _parsed(text: str, parser: str) -> Question:
    """The question of a text, by one of PARSERS."""
    if parser not in PARSERS:
        raise TumbleError(f"no parser {parser!r}; there are {', '.join(PARSERS)}")
    if parser == "template":
        try:
            return parse_question(text)
        except ParseError as error:
            raise ParseError(f"{error}; --parser learned reads other wordings too") from None
    with needs_torch("the learned parser"):
        from tumble.comphy.models.learned_parser import LearnedParser
    learned = LearnedParser.load()
    if unknown := learned.unknown_words(text):
        print_line(f"Words that the parser does not know: {', '.join(unknown)}")
    return learned.question(text)


def _print_steps(interpreter: Interpreter, program: Program) -> None:
    rows = table("step", "value")
    for step in interpreter.trace(program):
        rows.add_row(step.token, step.value)
    console().print(rows)


def _collision_program(*bodies: Body) -> Program:
    """The program of the option that two bodies collide."""
    tokens = ["all_events"]
    for body in bodies:
        color, material, shape = body.appearance
        tokens += ["objects", color, "filter_color", material, "filter_material", shape, "filter_shape", "unique"]
        tokens.append("filter_collision")
    return (*tokens, "unique")


def _print_bodies(videos: VideoSet) -> None:
    print_line(f"Set {videos.index:05d}, a {videos.family} set of {len(videos.bodies)} bodies:")
    rows = table("body", "mass", "charge")
    for body in videos.bodies:
        rows.add_row(str(body), str(body.mass), f"{body.charge:+d}" if body.charge else "0")
    console().print(rows)


@reports_errors
def inspect(folder: Path, number: str, model: str, out: Path, settings: Sequence[str], device: str) -> None:
    """Has a model answer the questions about a set, and writes the page."""
    check_target(out, ".html", ".htm")
    models = list(agents_with_settings(REGISTRY, model, settings))
    if len(models) != 1:
        raise TumbleError(f"a page is about one model with one value of each setting, not {len(models)}")
    loaded = find_set(number, folder, 0, None)
    assert loaded.data is not None
    questions = loaded.questions()
    if not questions.questions:
        raise TumbleError(f"{folder}: there are no questions about set {number}")
    name, values = models[0]
    agent: Agent = REGISTRY.make(name, **values)
    trained = train(agent, ComPhyRunSpec(name, str(folder.resolve()), settings=values)) if agent.learns else ""
    pictures = _pictures(loaded.data, loaded.videos, device)
    observe = partial(observe_stored, loaded.data, loaded.videos.index)
    task = Task(without_answers(questions), observe, lambda: loaded.videos, pictures, agent.uses_truth)
    with spinner(f"{name} answers …"), attributing_errors(agent, f"answering set {task.id}"):
        marks = mark(questions, agent.answer(task))
        explanation = agent.explain(task)
    given = given_text(task.use.most, trained or agent.trained_with)
    by_question = {one.question: one for one in marks}
    explained = explanation or Explanation()
    inspected = Inspected(agent_label(name), given, loaded.videos, questions, by_question, explained, pictures())
    page.write(inspection_page(inspected), out)
    correct = sum(one.all_correct for one in marks)
    print_line(f"Set {task.id}: {correct} of {plural(len(marks), 'question')} right. Written to {out}.")


def _pictures(data: Dataset, videos: VideoSet, device: str) -> Callable[[], tuple[np.ndarray, ...]]:
    """Reads the pictures of a set; rendered, encoded and decoded if the dataset has none."""
    if data.has_videos:
        return partial(stored_pictures, data, videos.index)
    return lambda: tuple(decode_video(mp4) for mp4 in render_videos(videos, VIDEO_SIZE, device))
