"""`tumble phyq import` and `tumble phyq export`: reads and writes level files."""

from pathlib import Path

from tumble.errors import TumbleError
from tumble.output import check_target, plural, print_line, reports_errors
from tumble.phyq.cli.describe import level_contents
from tumble.phyq.cli.lookup import find_task
from tumble.phyq.simulation import simulator
from tumble.phyq.simulation.world import world_of
from tumble.phyq.tasks.files.formats import FORMATS, level_suffix, load_level
from tumble.phyq.tasks.level import Level
from tumble.phyq.tasks.templates import templates
from tumble.progress import bar


@reports_errors
def import_level(path: Path, out: Path | None) -> None:
    """Prints the contents of a level file and whether the level is at rest; optionally writes it in another format."""
    check_target(out, *FORMATS)
    level = load_level(path)
    print_line(f"{path}: {level_contents(level)}.")
    print_line(_describe_rest(level))
    if out:
        _write(level, out)
        print_line(f"Written to {out}.")


@reports_errors
def export(text: str, out: Path) -> None:
    """Writes one level."""
    check_target(out, *FORMATS)
    _write(find_task(text).level, out)
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
                _write(design.level(number), folder / f"{key}-{number:03d}{suffix}")
                advance(1)
            if not tasks:
                _write(design.base, folder / f"{key}{suffix}")
                advance(1)
    print_line(f"Written to {folder}: {plural(len(templates()) * max(1, tasks), 'level')}.")


def _write(level: Level, path: Path) -> None:
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
