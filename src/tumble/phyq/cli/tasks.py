"""`tumble phyq list`, `show`, `import` and `export`: scenarios, templates and levels, and their files."""

from pathlib import Path

from tumble.errors import TumbleError
from tumble.output import check_target, console, plural, print_line, reports_errors, table
from tumble.phyq.catalogue.level import Level
from tumble.phyq.catalogue.level_files import FORMATS, level_suffix, load_level
from tumble.phyq.catalogue.tasks import TASKS_PER_TEMPLATE, Task
from tumble.phyq.catalogue.templates import SCENARIOS, templates
from tumble.phyq.cli.describe import describe_shot, find_task, level_contents, piece_name, task_idea, task_title
from tumble.phyq.cli.play import PictureSize, draw_view, play_shots, save_animation, save_picture
from tumble.phyq.evaluation.metrics import published_broad
from tumble.phyq.evaluation.published_results import HUMAN
from tumble.phyq.generation.solutions import Solution, solutions
from tumble.phyq.simulation import episode_views, simulator
from tumble.phyq.simulation.world import world_of
from tumble.progress import bar


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
    stored = _stored_solution(task) if solution else None
    view = episode_views.start(task.level)
    print_line(task_title(task))
    if task_idea(task):
        print_line(task_idea(task))
    draw_view(view)
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


def _stored_solution(task: Task) -> Solution:
    stored = solutions().get(task.id)
    if stored is None:
        raise TumbleError(f"no solution of {task.id} is stored")
    return stored


@reports_errors
def import_level(path: Path, out: Path | None) -> None:
    """Prints the contents of a level file and whether the level is at rest; optionally writes it in another format."""
    check_target(out, *FORMATS)
    level = load_level(path)
    print_line(f"{path}: {level_contents(level)}.")
    print_line(_describe_rest(level))
    if out:
        _write_level(level, out)
        print_line(f"Written to {out}.")


@reports_errors
def export_level(text: str, out: Path) -> None:
    """Writes one level."""
    check_target(out, *FORMATS)
    _write_level(find_task(text).level, out)
    print_line(f"Written to {out}.")


@reports_errors
def export_all(folder: Path, tasks: int, form: str) -> None:
    """Writes the base level of each template, or its first tasks, into a folder."""
    suffix = f".{form}"
    if suffix not in FORMATS:
        raise TumbleError(f"no format {form!r}; there are {', '.join(name[1:] for name in FORMATS)}")
    folder.mkdir(parents=True, exist_ok=True)
    with bar("Writing", len(templates()) * max(1, tasks)) as advance:
        for key, design in templates().items():
            for number in range(tasks):
                _write_level(design.level(number), folder / f"{key}-{number:03d}{suffix}")
                advance(1)
            if not tasks:
                _write_level(design.base, folder / f"{key}{suffix}")
                advance(1)
    print_line(f"Written to {folder}: {plural(len(templates()) * max(1, tasks), 'level')}.")


def _write_level(level: Level, path: Path) -> None:
    FORMATS[level_suffix(path)].save(level, path)


def _describe_rest(level: Level) -> str:
    """Whether the level is at rest before the first shot; if not, what moves most."""
    settling = simulator.settle([level])
    if settling.at_rest[0]:
        return "At rest before the first shot."
    member = world_of(level).members[int(settling.worst[0])]
    moved = f"{member.role} {member.number} moves by {settling.moved[0]:.2f} units"
    lost = f", and {plural(int(settling.gone[0]), 'piece')} leave the world" if settling.gone[0] else ""
    return f"Not at rest before the first shot: {moved}{lost}."
