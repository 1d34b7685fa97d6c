"""The demo: RAND on PHYRE-B, as a page with its success curves and animations of what it solved."""

from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

if TYPE_CHECKING:
    from tumble.phyre import Simulator

SETTINGS = {"ball_cross_template": "across templates", "ball_within_template": "within templates"}
PUBLISHED = {"ball_cross_template": 13.0, "ball_within_template": 13.7}
"""AUCCESS of the paper's RAND, mean of ten folds; it tried one fixed set of actions on every task."""
FOLD = 0
SHOWN = 12
FPS = 20
SIDE = 240


def run(out: Path) -> None:
    """Write the demo's files into the existing folder `out`."""
    # Loaded only here, so that `tumble --help` does not wait for Warp.
    from tumble import engine, phyre
    from tumble.phyre.agents import rand
    from tumble.progress import bar
    from tumble.report.figures import success_curves
    from tumble.report.page import Page

    console = Console(highlight=False)
    ids = {setting: phyre.fold(setting, FOLD, phyre.task_ids("B")).test for setting in SETTINGS}
    chosen = sorted({task_id for tested in ids.values() for task_id in tested})
    console.print(f"Building {len(chosen)} tasks …")
    simulator = phyre.Simulator([phyre.task(task_id) for task_id in chosen], tier="B")
    console.print("RAND attempts them, up to 100 times each (the first time, this compiles the physics) …")
    with bar("Attempts", 100 * len(chosen)) as advance:
        found = rand.solved_at(simulator, chosen, progress=advance)

    page = Page("Tumble: a random agent on PHYRE-B")
    page.text(
        "In each task an agent places one ball, then physics runs; the task is solved when the green body touches the "
        f"blue or purple one for three seconds. RAND places balls at random. Fold {FOLD}, physics "
        f"{engine.physics_id()}, independent draws for each task."
    )
    solved_at = {setting: [found[task_id] for task_id in tested] for setting, tested in ids.items()}
    curves = {f"RAND, {SETTINGS[setting]}": phyre.success_curve(at) for setting, at in solved_at.items()}
    page.svg(success_curves(curves))
    rows = [
        (
            SETTINGS[setting],
            str(len(at)),
            f"{100 * phyre.auccess(at):.1f}",
            f"{100 * phyre.success_at(at, 10):.1f} %",
            f"{100 * phyre.success_at(at, 100):.1f} %",
            f"{PUBLISHED[setting]:.1f}",
        )
        for setting, at in solved_at.items()
    ]
    header = ("setting", "tasks", "AUCCESS", "solved within 10", "within 100", "published AUCCESS, ten folds")
    page.table(header, rows)
    page.heading("What it solved")
    console.print("Drawing what it solved …")
    page.pictures(_animations(simulator, found, out))
    page.write(out / "index.html")
    for row in rows:
        console.print(f"RAND {row[0]}: AUCCESS {row[2]} on {row[1]} tasks, {row[4]} solved within 100 attempts")
    console.print(f"Open {out / 'index.html'}")


def _animations(simulator: "Simulator", found: dict[str, int | None], out: Path) -> list[tuple[str, str]]:
    """A GIF of the first task of each of some templates that was solved, and its caption."""
    from tumble.phyre.agents import rand
    from tumble.phyre.templates import template
    from tumble.progress import bar
    from tumble.scene import save_animation

    first: dict[str, str] = {}
    for task_id, at in found.items():
        if at is not None:
            first.setdefault(task_id.split(":")[0], task_id)
    pictures = []
    with bar("Drawing", min(SHOWN, len(first))) as advance:
        for key, task_id in list(first.items())[:SHOWN]:
            attempt_number = found[task_id] or 0
            action = rand.actions_for(simulator, task_id, seed=0)[attempt_number - 1]
            attempt = simulator.simulate(task_id, action, want=["trajectories"])
            assert attempt.scene is not None
            assert attempt.trajectories is not None
            name = f"{task_id.replace(':', '-')}.gif"
            save_animation(out / name, attempt.scene, attempt.trajectories[:: 60 // FPS], FPS, (SIDE, SIDE))
            idea = template(key).description.split("\n\n")[0].replace("\n", " ")
            pictures.append((name, f"{task_id} {template(key).name}, attempt {attempt_number}. {idea}"))
            advance(1)
    return pictures
