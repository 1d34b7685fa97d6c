"""`tumble phyq list` and `tumble phyq show`: scenarios, templates and levels."""

from pathlib import Path

from tumble.errors import TumbleError
from tumble.output import check_target, console, print_line, reports_errors, table
from tumble.phyq.cli.describe import describe_shot, level_contents, piece_name, task_idea, task_title
from tumble.phyq.cli.lookup import find_task
from tumble.phyq.cli.pictures import PictureSize, save_animation, save_picture
from tumble.phyq.cli.shoot import play_shots
from tumble.phyq.cli.terminal import draw
from tumble.phyq.evaluation.metrics import published_broad
from tumble.phyq.evaluation.published_results import HUMAN
from tumble.phyq.generation.solutions import Solution, solutions
from tumble.phyq.simulation import episode_views
from tumble.phyq.tasks.catalogue import TASKS_PER_TEMPLATE
from tumble.phyq.tasks.task import Task
from tumble.phyq.tasks.templates import SCENARIOS, templates


@reports_errors
def list_scenarios(only: int | None) -> None:
    """Prints a table of scenarios, with the published pass rates of humans and random shots."""
    rows = table("", "scenario", "templates", "tasks", "humans pass", "random passes")
    random_rates = published_broad("Random")
    for number, name in SCENARIOS.items():
        if only in (None, number):
            designs = [design for design in templates().values() if design.scenario == number]
            tasks = len(designs) * TASKS_PER_TEMPLATE
            rates = (f"{HUMAN[number][0]:.0%}", f"{random_rates[number]:.1%}")
            rows.add_row(str(number), name, f"{designs[0].id} to {designs[-1].id}", str(tasks), *rates)
    console().print(rows)


@reports_errors
def list_templates(scenario: int | None) -> None:
    """Prints one line for each template: its id and how it is solved."""
    for key, design in templates().items():
        if scenario in (None, design.scenario):
            print_line(f"{key:<4}  {design.idea}")


@reports_errors
def show(text: str, png: Path | None, gif: Path | None, solution: bool, size: PictureSize) -> None:
    """Draws a level in the terminal and into a file, lists its pieces, and optionally prints its solution."""
    check_target(png, ".png")
    check_target(gif, ".gif", ".webp")
    if gif and not solution:
        raise TumbleError(f"{gif}: nothing moves before a shot; give --solution, or use tumble phyq shoot")
    task = find_task(text)
    stored = _solution(task) if solution else None
    view = episode_views.start(task.level)
    print_line(task_title(task))
    if task_idea(task):
        print_line(task_idea(task))
    draw(view)
    print_line(f"{level_contents(task.level)}.")
    rows = table("piece", "x", "y", "degrees")
    for piece in task.level.pieces:
        rows.add_row(piece_name(piece), f"{piece.x:.2f}", f"{piece.y:.2f}", f"{piece.rotation:.1f}")
    console().print(rows)
    if png:
        save_picture(png, view, size)
    if stored:
        print_line(f"Solution, which also wins with angles changed by up to {stored.tolerance:g} degrees:")
        for colour, shot in zip(task.level.birds, stored.shots, strict=False):
            print_line(f"{colour} bird: {describe_shot(shot)}")
        if gif:
            save_animation(gif, play_shots(task.level, stored.shots), size)


def _solution(task: Task) -> Solution:
    stored = solutions().get(task.id)
    if stored is None:
        raise TumbleError(f"no solution of {task.id} is stored")
    return stored
