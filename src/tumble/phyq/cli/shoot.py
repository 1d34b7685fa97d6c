"""`tumble phyq shoot`: one sequence of shots and its outcome."""

from collections.abc import Sequence
from pathlib import Path

from tumble.engine import check_device
from tumble.output import check_target, console, print_line, reports_errors, table
from tumble.phyq.cli.describe import describe_event, describe_outcome, describe_shot, is_notable, task_title
from tumble.phyq.cli.lookup import find_task
from tumble.phyq.cli.pictures import PictureSize, save_animation, save_picture
from tumble.phyq.cli.shot_options import ShotOptions, check_shot_count
from tumble.phyq.observation import animation
from tumble.phyq.simulation import episode_views, simulator
from tumble.phyq.simulation.episodes import Episodes
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.tasks.level import Level

WANT = ("trajectory", "events", "states")


@reports_errors
def shoot(
    text: str,
    options: ShotOptions,
    gif: Path | None,
    png: Path | None,
    all_events: bool,
    size: PictureSize,
    device: str,
) -> None:
    """Plays the shots, and prints events and the outcome."""
    check_target(png, ".png")
    check_target(gif, ".gif", ".webp")
    shots = options.parse()
    check_device(device)
    task = find_task(text)
    check_shot_count(task.level, len(shots))
    episodes = play_shots(task.level, shots, device)
    print_line(task_title(task))
    for colour, shot in zip(task.level.birds, shots, strict=False):
        print_line(f"{colour} bird: {describe_shot(shot)}")
    print_events(episode_views.events(episodes, 0), all_events)
    print_line(describe_outcome(episodes, 0))
    if png:
        save_picture(png, episode_views.end(episodes, 0), size)
    if gif:
        save_animation(gif, episodes, size)


def play_shots(level: Level, shots: Sequence[Shot], device: str = "cpu") -> Episodes:
    """Plays shots, with trajectory, events and states."""
    return simulator.play(level, [shots], device, want=WANT, stride=animation.STRIDE)


def print_events(events: Sequence[episode_views.Event], all_events: bool = False) -> None:
    """Prints a table of all events, or of notable ones."""
    rows = table("seconds", "")
    for event in events:
        if event.kind != "end" and (all_events or is_notable(event)):
            rows.add_row(f"{event.seconds:.2f}", describe_event(event))
    console().print(rows)
