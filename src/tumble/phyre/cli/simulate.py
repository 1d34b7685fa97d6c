"""`tumble phyre simulate` and `tumble phyre explain`: one attempt, its outcome, and which bodies mattered.

Attempts are actions, or user input: balls and polygons as text, points as a file. What mattered is shown as a
table, a picture or a page.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import typer

from tumble.bounded import BoundError, read_text
from tumble.engine import check_device
from tumble.errors import TumbleError
from tumble.output import check_target, console, plural, print_line, reports_errors, spinner, table
from tumble.phyre.cli.task_files import find_task
from tumble.phyre.generation.explain import Explanation, Outcome, explain
from tumble.phyre.observation import picture_files
from tumble.phyre.observation.picture_files import STEPS_PER_SECOND, save_causes, save_motion
from tumble.phyre.observation.words import body_name
from tumble.phyre.simulation.actions import (
    action_from_numbers,
    describe_balls,
    describe_goal,
    duration_text,
    placement_problem,
    task_title,
)
from tumble.phyre.simulation.attempt import Attempt, within_view
from tumble.phyre.simulation.overlap import Obstacles
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import INVALID, LABELS
from tumble.phyre.simulation.user_input import UserInput
from tumble.report import Document, Picture, page
from tumble.scene import Scene

MOST_POINT_BYTES = 1 << 22
"""Of a file of points, of which a scene has 65,536."""


def parse_input(balls: Sequence[str], polygons: Sequence[str], points: Path | None) -> UserInput:
    """The user input of `--ball "x,y,radius"`, `--polygon "x,y x,y x,y"` and `--points FILE`."""
    parsed = UserInput(
        [_parse_vector("--ball", ball) for ball in balls],
        [[_parse_vector("--polygon", vertex) for vertex in polygon.split()] for polygon in polygons],
        _read_points(points) if points else [],
    )
    parsed.bodies  # noqa: B018 - raises if something is malformed
    return parsed


def _parse_vector(option: str, text: str) -> list[float]:
    try:
        return [float(number) for number in text.split(",")]
    except ValueError:
        expected = {"--ball": '"x,y,radius"', "--polygon": '"x,y x,y x,y"'}[option]
        raise TumbleError(f"{option} must be {expected} in pixels; {text!r} is not numbers with commas") from None


def _read_points(file: Path) -> list[list[int]]:
    """The points of a text file: two whole numbers on each line, x and y."""
    try:
        lines = read_text(file, MOST_POINT_BYTES).splitlines()
    except BoundError as error:
        raise TumbleError(f"{file}: {error}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise TumbleError(f"{file}: {getattr(error, 'strerror', None) or 'not a text file'}") from None
    points = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            match = re.fullmatch(r"\s*(-?\d{1,9})[\s,]+(-?\d{1,9})\s*", line)
            if not match:
                raise TumbleError(
                    f"{file}, line {number}: expected x and y as whole numbers, got {line.strip()[:40]!r}"
                )
            points.append([int(match[1]), int(match[2])])
    return points


def describe_input(user_input: UserInput) -> str:
    """What a user input places."""
    balls, polygons = len(user_input.balls), len(user_input.polygons)
    counts = {"ball": balls, "polygon": polygons, "drawn shape": len(user_input.bodies) - balls - polygons}
    return " and ".join(plural(count, noun) for noun, count in counts.items() if count) or "nothing placed"


def input_problem(scene: Scene, user_input: UserInput) -> str:
    """Why a user input is invalid; empty if it is valid."""
    first, whole = len(scene.bodies), scene.with_bodies(*user_input.bodies)
    for index in range(first, len(whole.bodies)):
        if not within_view(scene, [whole.bodies[index]]):
            return f"{body_name(whole, index)} leaves the scene, which is {scene.width:g} by {scene.height:g} pixels"
    for index in range(first, len(whole.bodies)):
        others = [*range(first), *range(index + 1, len(whole.bodies))]
        single_bodies = Obstacles([replace(whole, bodies=(whole.bodies[other],)) for other in others])
        clear = single_bodies.clear_bodies(np.arange(len(others)), [[whole.bodies[index]]] * len(others))
        overlapped = [body_name(whole, others[row]) for row in np.flatnonzero(~clear)]
        if overlapped:
            return f"{body_name(whole, index)} overlaps {' and '.join(overlapped)}"
    return ""


MIN_GIF_STRIDE = 2


@reports_errors
def simulate(
    text: str,
    numbers: list[str],
    stable: bool,
    gif: Path | None,
    png: Path | None,
    events: bool,
    stride: int,
    size: int,
    device: str,
    balls: list[str],
    polygons: list[str],
    points: Path | None,
) -> None:
    """Rolls out one action or user input and prints its outcome; raises TumbleError for an invalid one."""
    check_target(png, ".png")
    check_target(gif, ".gif", ".webp")
    if gif and gif.suffix.lower() == ".gif" and stride < MIN_GIF_STRIDE:
        raise TumbleError(f"{gif}: a .gif has at most 50 frames per second; use --stride 2 or a .webp file")
    values = [parse_number(number) for number in numbers]
    check_device(device)
    task = find_task(text)
    want = ["events"] * events + ["trajectories"] * bool(gif)
    simulator = Simulator([task], task.tier, device)
    if balls or polygons or points:
        if values:
            raise TumbleError("give either the numbers of an action or --ball, --polygon and --points, not both")
        user_input = parse_input(balls, polygons, points)
        attempt = simulator.simulate_input(task, user_input, stable=stable, want=want)
        placed = describe_input(user_input)
        problem = input_problem(task.scene, user_input) if attempt.status == INVALID else ""
    else:
        action = action_from_numbers(task, values)
        attempt = simulator.simulate(task, action, stable=stable, want=want)
        placed = describe_balls(action)
        problem = placement_problem(task.scene, action) if attempt.status == INVALID else ""
    if attempt.status == INVALID:
        raise TumbleError(f"invalid: {problem}")
    print_line(f"{task_title(task)}: {placed}")
    print_line(_attempt_outcome(attempt))
    if events:
        _print_events(attempt)
    assert attempt.scene is not None
    if png:
        picture_files.save_picture(png, attempt.scene, size)
        print_line(f"Picture: {png}")
    if gif:
        assert attempt.trajectories is not None
        with spinner("Animating …"):
            save_motion(gif, attempt.scene, attempt.trajectories, stride, size)
        print_line(f"Animation: {gif}")


def parse_number(text: str) -> float:
    """A number of an action; text that starts with a dash and is not a number is an unknown option."""
    try:
        return float(text)
    except ValueError:
        if text.startswith("-"):
            raise typer.BadParameter(f"no such option: {text}") from None
        raise TumbleError(f"x, y and radius are numbers from 0 to 1, not {text!r}") from None


def _attempt_outcome(attempt: Attempt) -> str:
    outcome = LABELS[attempt.status]
    return f"{outcome[:1].upper()}{outcome[1:]} {'after' if attempt.solved else 'in'} {duration_text(attempt.steps)}."


def _print_events(attempt: Attempt) -> None:
    assert attempt.events is not None
    assert attempt.scene is not None
    rows = table("seconds", "", "body", "body")
    for step, begins, pair in _body_contacts(attempt.events):
        names = (body_name(attempt.scene, body) for body in pair)
        rows.add_row(f"{step / STEPS_PER_SECOND:.2f}", "touch" if begins else "part", *names)
    console().print(rows)


def _body_contacts(events: np.ndarray) -> Iterator[tuple[int, bool, tuple[int, int]]]:
    """Yields step, begin or end, and the two bodies of contacts; events are of shapes, of which a body has several."""
    contacts: Counter[tuple[int, int]] = Counter()
    for event in events:
        pair = int(event["body_a"]), int(event["body_b"])
        touching = contacts[pair] > 0
        contacts[pair] += 1 if event["begin"] else -1
        if touching != (contacts[pair] > 0):
            yield int(event["step"]), bool(event["begin"]), pair


EFFECT_COLUMNS = ("body", "without it", "held still from its first contact", "mattered")


@reports_errors
def explain_attempt(text: str, numbers: list[str], out: Path | None, device: str) -> None:
    """Explains one attempt; raises TumbleError for an invalid action."""
    check_target(out, ".png", ".html")
    values = [parse_number(number) for number in numbers]
    check_device(device)
    task = find_task(text)
    action = action_from_numbers(task, values)
    problem = placement_problem(task.scene, action)
    if problem:
        raise TumbleError(f"invalid: {problem}")
    explanation = explain(task, action, device=device)
    title = f"{task_title(task)}: {describe_balls(action)}"
    print_line(title)
    print_line(_explained_outcome(explanation))
    rows = table(*EFFECT_COLUMNS)
    for row in effect_rows(explanation):
        rows.add_row(*row)
    console().print(rows)
    for line in chain_lines(explanation):
        print_line(line)
    if out:
        if out.suffix.lower() == ".png":
            _save_causes_picture(out, explanation)
        else:
            _save_causes_page(out, explanation, title)
        print_line(f"Written: {out}")


def effect_rows(explanation: Explanation) -> list[tuple[str, str, str, str]]:
    """A row for each body that touched something or mattered, those that mattered first."""
    shown = [effect for effect in explanation.effects if effect.first_contact is not None or effect.mattered]
    shown.sort(key=lambda effect: not effect.mattered)
    goal = (explanation.task.body, explanation.task.other)
    return [
        (
            effect.name,
            "(part of the goal)" if effect.body in goal else _outcome_text(effect.removed),
            _outcome_text(effect.frozen),
            "yes" if effect.mattered else "",
        )
        for effect in shown
    ]


def chain_lines(explanation: Explanation) -> list[str]:
    """The contacts of the chain as numbered lines."""
    scene = explanation.scene
    if not explanation.chain:
        return ["No chain of contacts leads from a placed ball to the goal."]
    lines = []
    for number, link in enumerate(explanation.chain, 1):
        bodies = f"{body_name(scene, link.source)} → {body_name(scene, link.target)}"
        lines.append(f"{number}  {link.step / STEPS_PER_SECOND:.2f} s  {bodies}")
    return lines


def _explained_outcome(explanation: Explanation) -> str:
    status = LABELS[explanation.status].capitalize()
    return f"{status} after {explanation.steps} steps: {describe_goal(explanation.task)}."


def _outcome_text(outcome: Outcome | None) -> str:
    """An outcome as text; empty where there is none."""
    if outcome is None:
        return ""
    return f"{LABELS[outcome.status]}, {outcome.steps} steps"


def _save_causes_picture(path: Path, explanation: Explanation) -> None:
    links = explanation.chain
    marked = {*explanation.mattered, *(body for link in links for body in (link.source, link.target))}
    title = f"{explanation.task.id}: {LABELS[explanation.status]} after {explanation.steps} steps"
    points = [link.point for link in links]
    lines = chain_lines(explanation)
    save_causes(path, explanation.scene, explanation.trajectory, marked, points, title, lines)


def _save_causes_page(path: Path, explanation: Explanation, title: str) -> None:
    """Writes a page of the picture and the table, in one file."""
    with TemporaryDirectory() as folder:
        picture = Path(folder) / "picture.png"
        _save_causes_picture(picture, explanation)
        content = picture.read_bytes()
    document = Document(title)
    document.text(_explained_outcome(explanation))
    document.pictures([Picture(page.data_uri(content, "png"), "The scene; bodies that mattered are marked.")], 2)
    document.table("Would the outcome be the same without a body?", EFFECT_COLUMNS, effect_rows(explanation))
    page.write(document, path)
