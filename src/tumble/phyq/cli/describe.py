"""Texts that describe tasks, levels, shots and outcomes; and tasks by an id, a template or a level file."""

import warnings
from collections import Counter
from pathlib import Path

from tumble.output import plural
from tumble.phyq.catalogue.level import Block, Level, Piece, Pig, Platform
from tumble.phyq.catalogue.level_files import FORMATS, load_level
from tumble.phyq.catalogue.tasks import Task, UncheckedTaskWarning
from tumble.phyq.catalogue.tasks import task as task_by_id
from tumble.phyq.catalogue.templates import SCENARIOS, template, templates
from tumble.phyq.observation.objects import GameObject
from tumble.phyq.observation.view import Event
from tumble.phyq.simulation.episodes import Episodes
from tumble.phyq.simulation.shots import Shot

HARD_HIT = 1.0
"""Slower hits, in units per second, are notable only if they hit a pig."""


def task_title(task: Task) -> str:
    """The id of a task and its scenario, and whether it is an unchecked one."""
    if not task.scenario:
        return task.id
    note = "" if task.checked or ":" not in task.id else " (unchecked)"
    return f"{task.id}{note}, scenario {task.scenario}: {SCENARIOS[task.scenario]}"


def task_idea(task: Task) -> str:
    """How the task's template is solved; empty for a user-defined level."""
    return template(task.template).idea if task.template else ""


def level_contents(level: Level) -> str:
    """The contents of a level, as in: 2 red birds, 1 small pig, 3 blocks, 2 platforms."""
    parts = [plural(n, f"{colour} bird") for colour, n in Counter(level.birds).items()]
    parts += [plural(n, f"{size} pig") for size, n in Counter(pig.size for pig in level.pigs).items()]
    for pieces, noun in ((level.blocks, "block"), (level.platforms, "platform")):
        parts += [plural(len(pieces), noun)] if pieces else []
    return ", ".join([*parts, *([f"{len(level.tnts)} TNT"] if level.tnts else [])])


def piece_name(piece: Piece) -> str:
    """The kind of a piece, as in: wood SquareHole."""
    if isinstance(piece, Pig):
        return f"{piece.size} pig"
    if isinstance(piece, Block):
        return f"{piece.material} {piece.shape}"
    return "platform {:.2f} x {:.2f}".format(*piece.size) if isinstance(piece, Platform) else "TNT"


def object_name(thing: GameObject | None) -> str:
    """The name of an object with its article; None is the ground."""
    if thing is None:
        return "the ground"
    name = {"pig": f"{thing.name} pig", "bird": f"{thing.name} bird", "block": f"{thing.material} {thing.name}"}
    return f"the {name.get(thing.kind, {'tnt': 'TNT'}.get(thing.kind, thing.kind))}"


def describe_shot(shot: Shot) -> str:
    """A shot, as in: 38 degrees, stretch 0.9, tap at 0.6 of the flight."""
    parts = [f"{shot.angle:g} degrees", f"stretch {shot.stretch:g}"]
    if shot.tap_ms is not None:
        parts.append(f"tap after {shot.tap_ms:g} ms")
    if shot.tap_share is not None:
        parts.append(f"tap at {shot.tap_share:g} of the flight")
    if shot.delay is not None:
        parts.append(f"after {shot.delay:g} s")
    return ", ".join(parts)


def describe_event(event: Event) -> str:
    """What happened, without the time."""
    if event.kind == "hit":
        first, second = event.object, event.other
        if not _is_subject(first, second):
            first, second = second, first
        return f"{object_name(first)} hits {object_name(second)} at {event.speed:.1f} units/s"
    verbs = {"release": "is launched", "tap": "is tapped", "gone": "is removed"}
    if event.kind == "death":
        verbs["death"] = "dies" if event.object is not None and event.object.kind == "pig" else "is destroyed"
    return f"{object_name(event.object)} {verbs[event.kind]}"


def is_notable(event: Event) -> bool:
    """Whether an event is listed by default: deaths, shots, hits of pigs, and hard hits of birds."""
    if event.kind != "hit":
        return event.kind not in ("end", "gone")
    kinds = {one.kind for one in (event.object, event.other) if one is not None}
    return ("pig" in kinds and kinds != {"pig", "platform"}) or ("bird" in kinds and event.speed >= HARD_HIT)


def describe_outcome(episodes: Episodes, row: int) -> str:
    """How an episode ended."""
    seconds, pigs = f"{episodes.seconds[row]:.1f} s", plural(int(episodes.pigs_left[row]), "pig")
    used, birds = int(episodes.shots_used[row]), len(episodes.worlds[episodes.level_of[row]].level.birds)
    with_birds = f"with {used} of {plural(birds, 'bird')}"
    return {
        "won": f"Won after {seconds} {with_birds}.",
        "lost": f"Lost after {seconds}: {pigs} left, no birds left.",
        "cap": f"Lost after {seconds}: {pigs} left when the time was over.",
        "open": f"Not over: {pigs} and {plural(birds - used, 'bird')} left after {seconds}.",
    }[str(episodes.status[row])]


def _is_subject(one: GameObject | None, other: GameObject | None) -> bool:
    """Whether "one hits other" is the usual order: birds hit blocks, blocks hit pigs, all hit the ground."""
    order = ("bird", "egg", "block", "tnt", "pig", "platform")
    rank = [order.index(thing.kind) if thing is not None else len(order) for thing in (one, other)]
    return rank[0] <= rank[1]


def shot_text(shot: Shot) -> str:
    """A shot in short form, as in: 38.00° stretch 0.9 tap 60 %."""
    parts = [f"{shot.angle:.2f}°"]
    parts += [f"stretch {shot.stretch:.3g}"] if shot.stretch < 1.0 else []
    parts += [f"tap {shot.tap_ms:.0f} ms"] if shot.tap_ms is not None else []
    parts += [f"tap {100.0 * shot.tap_share:.0f} %"] if shot.tap_share is not None else []
    parts += [f"after {shot.delay:.3g} s"] if shot.delay is not None else []
    return " ".join(parts)


def find_task(text: str) -> Task:
    """The task with an id like "6.4:003", with the base level of a template like "6.4", or with the level of a file."""
    path = Path(text)
    if path.is_file() or path.suffix.lower() in FORMATS or len(path.parts) > 1:
        return Task(path.name, load_level(path))
    if text in templates():
        design = template(text)
        return Task(design.id, design.base, design.id, design.scenario)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UncheckedTaskWarning)  # the title of the task says it
        return task_by_id(text)
