"""`tumble comphy show` and `tumble comphy ask`: a set as a page, and answers to questions about it."""

from dataclasses import replace
from pathlib import Path

from tumble.comphy.cli.lookup import find_set, parse_size
from tumble.comphy.observation.set_videos import render_videos
from tumble.comphy.questions.parser import ParseError, parse_question
from tumble.comphy.questions.programs.interpreter import Interpreter
from tumble.comphy.questions.programs.symbolic_scene import symbolic_scene
from tumble.comphy.report.set_page import page_of
from tumble.comphy.simulation.events import pairs_of
from tumble.comphy.tasks.body import Body
from tumble.comphy.tasks.question import Choice, Program, Question
from tumble.comphy.tasks.video_set import VideoSet
from tumble.comphy.tasks.world import PLAIN
from tumble.errors import TumbleError
from tumble.learning.needs_torch import needs_torch
from tumble.output import check_target, console, print_line, reports_errors, table
from tumble.report import page

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
        from tumble.comphy.models.parser.parse import LearnedParser
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
