"""`tumble phyq play`: plays a level shot by shot in the terminal."""

from pathlib import Path

from tumble.output import check_target, print_error, print_line, reports_errors
from tumble.phyq.cli.describe import describe_outcome, task_title
from tumble.phyq.cli.lookup import find_task
from tumble.phyq.cli.pictures import PictureSize, save_animation
from tumble.phyq.cli.shoot import play_shots, print_events
from tumble.phyq.cli.shot_options import parse_shot
from tumble.phyq.cli.terminal import draw
from tumble.phyq.simulation import episode_views
from tumble.phyq.simulation.episodes import Episodes
from tumble.phyq.simulation.shots import Shot, ShotError
from tumble.phyq.tasks.constants import STEP


@reports_errors
def play(text: str, gif: Path | None, size: PictureSize) -> None:
    """Reads shots until the level is over or the input ends."""
    check_target(gif, ".gif", ".webp")
    task = find_task(text)
    print_line(task_title(task))  # without its idea, which describes the solution
    draw(episode_views.start(task.level))
    shots: list[Shot] = []
    episodes: Episodes | None = None
    while episodes is None or episodes.status[0] == "open":
        shot = _read_shot(f"{task.level.birds[len(shots)]} bird, {len(shots) + 1} of {len(task.level.birds)}: ")
        if shot is None:
            print_line("Stopped.")
            break
        shots.append(shot)
        episodes = play_shots(task.level, shots)
        released = float(episodes.released[0, -1] - episodes.start[0]) * STEP
        print_events([event for event in episode_views.events(episodes, 0) if event.seconds >= released])
        draw(episode_views.end(episodes, 0))
        print_line(describe_outcome(episodes, 0))
    if gif and episodes is not None:
        save_animation(gif, episodes, size)


def _read_shot(prompt: str) -> Shot | None:
    """The shot that the user types; None for an empty line or the end of the input."""
    while True:
        try:
            line = input(prompt).strip()
        except EOFError:
            return None
        if not line:
            return None
        try:
            return parse_shot(line)
        except ShotError as error:
            print_error(str(error))
