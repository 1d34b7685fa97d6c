"""`tumble phyre simulate`: one attempt and its outcome."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import typer

from tumble.engine import check_device
from tumble.errors import TumbleError
from tumble.output import check_target, console, print_line, reports_errors, spinner, table
from tumble.phyre.cli.describe import (
    action_of,
    describe_balls,
    duration_text,
    placement_problem,
    task_title,
)
from tumble.phyre.cli.lookup import find_task
from tumble.phyre.cli.user_input import describe_input, input_problem, parse_input
from tumble.phyre.observation import animation, drawing
from tumble.phyre.observation.body_names import body_name
from tumble.phyre.simulation.attempt import Attempt
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import INVALID, LABELS

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
        action = action_of(task, values)
        attempt = simulator.simulate(task, action, stable=stable, want=want)
        placed = describe_balls(action)
        problem = placement_problem(task.scene, action) if attempt.status == INVALID else ""
    if attempt.status == INVALID:
        raise TumbleError(f"invalid: {problem}")
    print_line(f"{task_title(task)}: {placed}")
    print_line(_outcome(attempt))
    if events:
        _print_events(attempt)
    assert attempt.scene is not None
    if png:
        drawing.save_picture(png, attempt.scene, size)
        print_line(f"Picture: {png}")
    if gif:
        assert attempt.trajectories is not None
        with spinner("Animating …"):
            animation.save_motion(gif, attempt.scene, attempt.trajectories, stride, size)
        print_line(f"Animation: {gif}")


def parse_number(text: str) -> float:
    """A number of an action; text that starts with a dash and is not a number is an unknown option."""
    try:
        return float(text)
    except ValueError:
        if text.startswith("-"):
            raise typer.BadParameter(f"no such option: {text}") from None
        raise TumbleError(f"x, y and radius are numbers from 0 to 1, not {text!r}") from None


def _outcome(attempt: Attempt) -> str:
    outcome = LABELS[attempt.status]
    return f"{outcome[:1].upper()}{outcome[1:]} {'after' if attempt.solved else 'in'} {duration_text(attempt.steps)}."


def _print_events(attempt: Attempt) -> None:
    assert attempt.events is not None
    assert attempt.scene is not None
    rows = table("seconds", "", "body", "body")
    for step, begins, pair in _body_contacts(attempt.events):
        names = (body_name(attempt.scene, body) for body in pair)
        rows.add_row(f"{step / animation.STEPS_PER_SECOND:.2f}", "touch" if begins else "part", *names)
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
