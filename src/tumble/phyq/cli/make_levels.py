"""`tumble phyq make-level`: makes a set of complete levels."""

from pathlib import Path

from tumble.output import TargetError, console, plural, print_line, reports_errors, resume_hint, table
from tumble.phyq.cli.describe import shot_text
from tumble.phyq.generation.levels import level_set
from tumble.progress import bar


@reports_errors
def make_levels(folder: Path, seed: int, count: int, device: str) -> None:
    """Makes the levels, and prints what they contain and how they are won."""
    if folder.exists() and not folder.is_dir():
        raise TargetError(f"{folder} is a file; name a folder")
    with resume_hint("repeat the command to resume."), bar("Levels", count) as advance:
        made = level_set.make_levels(seed, count, device, folder, progress=advance)
    rows = table("level", "birds", "pigs", "blocks", "solution")
    for one in made:
        level, shots = one.level, "; ".join(map(shot_text, one.solution))
        rows.add_row(one.name, str(len(level.birds)), str(len(level.pigs)), str(len(level.blocks)), shots)
    console().print(rows)
    print_line(f"Written to {folder}: {plural(len(made), 'level')} of seed {seed}.")
