"""`tumble phyq shoot`: one sequence of shots, and what came of it."""

from collections.abc import Sequence
from pathlib import Path

from tumble.engine import check_device
from tumble.output import check_target, console, print_line, reports_errors, table
from tumble.phyq.cli import words
from tumble.phyq.cli.finding import find_task
from tumble.phyq.cli.given import Given, check_birds
from tumble.phyq.observation import animation
from tumble.phyq.observation.drawing import save_png
from tumble.phyq.simulation import episode_views, simulator
from tumble.phyq.simulation.episodes import Episodes
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.tasks.level import Level
from tumble.progress import bar

WANT = ("trajectory", "events", "states")


@reports_errors
def shoot(
    text: str, given: Given, gif: Path | None, png: Path | None, all_events: bool, width: int, device: str
) -> None:
    """Play the shots and say what happened."""
    check_target(png, ".png")
    check_target(gif, ".gif", ".webp")
    shots = given.sequence()
    check_device(device)
    task = find_task(text)
    check_birds(task.level, len(shots))
    episodes = play_on(task.level, shots, device)
    print_line(words.title(task))
    for colour, shot in zip(task.level.birds, shots, strict=False):
        print_line(f"{colour} bird: {words.shot(shot)}")
    print_events(episode_views.events(episodes, 0), all_events)
    print_line(words.outcome(episodes, 0))
    if png:
        save_png(png, episode_views.end(episodes, 0).picture())
        print_line(f"Picture: {png}")
    if gif:
        save_animation(gif, episodes, width)


def play_on(level: Level, shots: Sequence[Shot], device: str = "cpu") -> Episodes:
    """Play the shots so far, with all that can be told about them."""
    return simulator.play(level, [shots], device, want=WANT, stride=animation.STRIDE)


def print_events(events: Sequence[episode_views.Event], all_events: bool = False) -> None:
    """Print a table of what happened: all, or what matters."""
    rows = table("seconds", "")
    for event in events:
        if event.kind != "end" and (all_events or words.matters(event)):
            rows.add_row(f"{event.seconds:.2f}", words.event(event))
    console().print(rows)


def save_animation(path: Path, episodes: Episodes, width: int) -> None:
    """Write what happened as an animation."""
    motion = episode_views.motion(episodes, 0)
    with bar("Drawing", len(animation.frames_shown(motion))) as advance:
        animation.save_motion(path, motion, width, advance)
    print_line(f"Animation: {path}")
