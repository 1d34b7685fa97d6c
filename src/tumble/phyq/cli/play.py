"""`tumble phyq play` and `serve`: a game in the terminal, and the server for the original's agents."""

import asyncio
import signal
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image
from rich.console import Console

from tumble.cli.options import split_list
from tumble.engine import check_device
from tumble.errors import TumbleError
from tumble.output import (
    check_target,
    console,
    half_blocks,
    plural,
    print_error,
    print_line,
    reports_errors,
    shows_colours,
    spinner,
    table,
)
from tumble.phyq.agents.agent import external_name
from tumble.phyq.catalogue.level import Level, overlap_depth
from tumble.phyq.catalogue.physics import GROUND_Y, HALF_WIDTH, STEP
from tumble.phyq.catalogue.tasks import cached_task
from tumble.phyq.cli.describe import describe_event, describe_outcome, describe_shot, find_task, is_notable, task_title
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.phyq.observation import animation, illustration
from tumble.phyq.observation.camera import COLUMNS, PIXELS_PER_UNIT, TOP
from tumble.phyq.observation.drawing import SEEN_ROWS, save_png
from tumble.phyq.observation.view import View
from tumble.phyq.server.server import GameServer, Recorder
from tumble.phyq.simulation import episode_views, simulator
from tumble.phyq.simulation.episodes import Episodes
from tumble.phyq.simulation.shots import Shot, ShotError
from tumble.progress import bar

SHOT_TEXT_FIELDS = {"tap": "tap_share", "tap_ms": "tap_ms", "delay": "delay"}
SHOT_SYNTAX = "a shot is ANGLE[,STRETCH][,tap=SHARE][,tap_ms=MS][,delay=S], as in 38,0.9,tap=0.6"


@dataclass(frozen=True)
class ShotOptions:
    """The values of the options of `tumble phyq shoot`, each of which may be repeated."""

    angles: Sequence[float]
    stretches: Sequence[float]
    tap_ms: Sequence[float]
    tap_shares: Sequence[float]
    delays: Sequence[float]
    shots: Sequence[str]

    @property
    def is_given(self) -> bool:
        """Whether any option is given."""
        return any((self.angles, self.stretches, self.tap_ms, self.tap_shares, self.delays, self.shots))

    def parse(self) -> list[Shot]:
        """The shots, one for each --shot or --angle."""
        others = {
            "stretch": self.stretches,
            "tap_ms": self.tap_ms,
            "tap_share": self.tap_shares,
            "delay": self.delays,
        }
        if self.shots:
            if self.angles or any(others.values()):
                raise ShotError("give complete shots with --shot, or --angle with its options, not both")
            return [parse_shot(text) for text in self.shots]
        if not self.angles:
            raise ShotError("no shot: give --angle or --shot")
        rows: list[dict[str, float]] = [{"angle": angle} for angle in self.angles]
        for name, values in others.items():
            if len(values) not in (0, 1, len(rows)):
                option = f"--{name.replace('_', '-')}"
                expected = f"give it once, or once for each of {plural(len(rows), 'angle')}"
                raise ShotError(f"{option} is given {len(values)} times; {expected}")
            for k, row in enumerate(rows):
                if values:
                    row[name] = values[k if len(values) > 1 else 0]
        return [Shot(**row) for row in rows]


def parse_shot(text: str) -> Shot:
    """The shot of a text like "38,0.9,tap=0.6" or "38 0.9 tap=0.6"."""
    positional: list[float] = []
    fields: dict[str, float] = {}
    for part in text.replace(",", " ").split():
        name, equals, value = part.rpartition("=")
        try:
            number = float(value)
        except ValueError:
            raise ShotError(f"{part!r} is not part of a shot; {SHOT_SYNTAX}") from None
        if not equals:
            positional.append(number)
        elif name in SHOT_TEXT_FIELDS and SHOT_TEXT_FIELDS[name] not in fields:
            fields[SHOT_TEXT_FIELDS[name]] = number
        else:
            raise ShotError(f"{part!r} is not part of a shot; {SHOT_SYNTAX}")
    if not 1 <= len(positional) <= 2:
        raise ShotError(f"{text.strip()!r} is not a shot; {SHOT_SYNTAX}")
    return Shot(*positional, **fields)


def check_shot_count(level: Level, shots: int) -> None:
    """Raises ShotError if there are more shots than birds."""
    if shots > len(level.birds):
        raise ShotError(f"{shots} shots, but the level has {plural(len(level.birds), 'bird')}")


@dataclass(frozen=True)
class PictureSize:
    """The options --width and --zoom."""

    width: int | None = None
    """Pixels; None for the default width of a picture or an animation."""
    zoom: float = 1.0


def save_picture(path: Path, view: View, size: PictureSize) -> None:
    """Writes a picture of a view."""
    save_png(path, view.illustration(size.width or illustration.WIDTH, size.zoom))
    print_line(f"Picture: {path}")


def save_animation(path: Path, episodes: Episodes, size: PictureSize) -> None:
    """Writes an animation of an episode."""
    motion = episode_views.motion(episodes, 0)
    with bar("Drawing", len(animation.frames_shown(motion))) as advance:
        animation.save_motion(path, motion, size.width or animation.WIDTH, advance, size.zoom)
    print_line(f"Animation: {path}")


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


MAX_COLUMNS = 100
"""Characters."""
CHARACTERS = {"pig": "o", "bird": "*", "egg": "e", "wood": "w", "ice": "i", "stone": "s", "tnt": "T", "platform": "#"}
"""By material or kind; earlier ones are drawn over later ones."""
HEADROOM = 1.0
"""Units above the highest object."""


def draw_view(view: View, target: Console | None = None) -> None:
    """Prints a drawing: in colour if the terminal can, else in characters."""
    output = target or console()
    columns = max(20, min(MAX_COLUMNS, output.width - 2))
    if shows_colours(output):
        output.print(half_blocks(_pixels(view, columns)), end="")
    else:
        output.print(text_drawing(view, columns), end="", soft_wrap=True)
        print_line("o pig, * bird, w wood, i ice, s stone, # platform, Y slingshot, - ground")


def text_drawing(view: View, columns: int = MAX_COLUMNS) -> str:
    """The view in characters, which are about twice as high as wide."""
    width = 2.0 * HALF_WIDTH / columns
    rows = round((_highest(view) - GROUND_Y) / (2.0 * width))
    grid = np.full((rows, columns), " ")
    corner = np.array([(0.0, 0.0), (width, 0.0), (width, 2.0 * width), (0.0, 2.0 * width)])
    order = list(CHARACTERS)
    slingshot = np.array([view.slingshot])
    drawn = [(slingshot + np.array([(-0.2, -1.0), (0.2, -1.0), (0.2, 0.5), (-0.2, 0.5)]), "Y")]
    for thing in sorted(view.objects, key=lambda thing: -order.index(thing.material or thing.kind)):
        drawn.append((thing.corners, CHARACTERS[thing.material or thing.kind]))
    for corners, character in drawn:
        low = np.floor((corners.min(axis=0) - (-HALF_WIDTH, GROUND_Y)) / (width, 2.0 * width)).astype(int)
        high = np.ceil((corners.max(axis=0) - (-HALF_WIDTH, GROUND_Y)) / (width, 2.0 * width)).astype(int)
        middle = np.clip(((low + high) // 2), 0, (columns - 1, rows - 1))
        for row in range(max(low[1], 0), min(high[1], rows)):
            for column in range(max(low[0], 0), min(high[0], columns)):
                cell = corner + np.array([column * width - HALF_WIDTH, row * 2.0 * width + GROUND_Y])
                if overlap_depth(cell, corners) > 0.25 * width or (column, row) == tuple(middle):
                    grid[row, column] = character
    lines = ["".join(row).rstrip() for row in grid[::-1]]
    return "\n".join([*lines, "-" * columns, ""])


def _highest(view: View) -> float:
    tops = [float(thing.corners[:, 1].max()) for thing in view.objects]
    return min(max([*tops, 0.0]) + HEADROOM, TOP)


def _pixels(view: View, columns: int) -> np.ndarray:
    """The screenshot [rows, columns, 3] from above the highest object down to the ground; rows is even."""
    first = max(0, int((TOP - _highest(view)) * PIXELS_PER_UNIT))
    picture = view.picture()[first:SEEN_ROWS]
    rows = round(len(picture) * columns / COLUMNS)
    return np.asarray(Image.fromarray(picture).resize((columns, rows + rows % 2), Image.Resampling.BOX))


@reports_errors
def play(text: str, gif: Path | None, size: PictureSize) -> None:
    """Reads shots until the level is over or the input ends."""
    check_target(gif, ".gif", ".webp")
    task = find_task(text)
    print_line(task_title(task))  # without its idea, which describes the solution
    draw_view(episode_views.start(task.level))
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
        draw_view(episode_views.end(episodes, 0))
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


MOST_LEVELS = 500
"""Datalab exits when it is given a level of a higher number."""


@reports_errors
def serve(
    tasks: str,
    setting: str,
    host: str,
    port: int,
    runs: Path | None,
    agent: str,
    attempts: int,
    device: str,
) -> None:
    """Serves tasks to clients until it is stopped."""
    check_device(device)
    if runs is not None and not agent:
        raise TumbleError("name the agent whose attempts are recorded, as in --agent Datalab")
    named = tuple(split_list(tasks)) if tasks else ()
    name = external_name(agent or "client")
    spec = PhyQRunSpec(name, setting or ("tasks" if named else "broad"), named, attempts, device)
    with Recorder(spec, runs) if runs is not None else nullcontext() as recorder:
        with spinner("Preparing levels …"):
            levels = [cached_task(task_id) for task_id in spec.task_ids()]
            server = GameServer(levels, attempts, recorder, print_line, device)
        if len(levels) > MOST_LEVELS:
            print_line(f"Datalab and its relatives exit at levels above {MOST_LEVELS}; serve fewer tasks to them.")
        asyncio.run(_run(server, host, port))
        if recorder is not None:
            logs = ", ".join(map(str, recorder.paths))
            print_line(f"Stopped; {plural(recorder.attempts, 'attempt')} recorded in {logs}.")
        else:
            print_line("Stopped; no attempt was recorded, for lack of --runs.")


async def _run(server: GameServer, host: str, port: int) -> None:
    """Runs the server until SIGINT (Ctrl-C) or SIGTERM."""
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    try:
        used = await server.start(host, port)
        print_line(f"Serving {plural(len(server.levels), 'level')} on {host}:{used}; stop with Ctrl-C.")
        await stop.wait()
    finally:
        await server.close()
