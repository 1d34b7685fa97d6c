"""`tumble comphy show` and `tumble comphy ask`: one set as a page, and questions about it in words."""

from dataclasses import replace
from pathlib import Path

from tumble.comphy.cli.finding import find_set, parsed_size
from tumble.comphy.observation.set_videos import render_videos
from tumble.comphy.questions.parser import parse_question
from tumble.comphy.questions.programs.interpreter import Interpreter
from tumble.comphy.questions.programs.symbolic_scene import symbolic_scene
from tumble.comphy.report.set_page import page_of
from tumble.comphy.simulation.events import pairs_of
from tumble.comphy.tasks.body import Body
from tumble.comphy.tasks.question import Choice, Program
from tumble.comphy.tasks.video_set import VideoSet
from tumble.output import check_target, console, print_line, reports_errors, table
from tumble.report import page


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
) -> None:
    """Print what a set is, and write its page if wanted."""
    check_target(out, ".html", ".htm")
    wide_high = parsed_size(size)
    found = find_set(text, data, seed, family)
    questions = found.questions()
    _print_bodies(found.videos)
    for question in questions.questions:
        words = question.answer or ", ".join(f"{choice.text}: {choice.answer}" for choice in question.choices)
        print_line(f"{question.id}. {question.text}  {words}")
    if out:
        films = (found.films() or render_videos(found.videos, wide_high, device, renderer)) if video else []
        page.write(page_of(found.videos, questions, films), out)
        print_line(f"Written to {out}.")


@reports_errors
def ask(text: str, question: str, data: Path | None, seed: int, family: str | None) -> None:
    """Print a question's program, its steps and its answer."""
    read = parse_question(question)
    found = find_set(text, data, seed, family)
    _print_bodies(found.videos)
    executor = Interpreter(symbolic_scene(found.videos))
    print_line(f"Program: {' '.join(read.program)}")
    if read.kind == "factual":
        _print_steps(executor, read.program)
        print_line(f"Answer: {executor.execute(read.program)}")
        return
    for one, other in pairs_of(len(found.videos.bodies)):
        names = [found.videos.bodies[k] for k in (one, other)]
        choice = Choice(0, f"The {names[0]} and the {names[1]} collide", _collision(*names), None)
        (verdict,) = executor.answers(replace(read, choices=(choice,)))
        print_line(f"{choice.text}: {verdict}")


def _print_steps(executor: Interpreter, program: Program) -> None:
    rows = table("step", "value")
    for step in executor.trace(program):
        rows.add_row(step.token, step.value)
    console().print(rows)


def _collision(*bodies: Body) -> Program:
    """The option that two bodies collide."""
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
