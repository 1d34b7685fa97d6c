"""Levels, shots and what came of them in words."""

from collections import Counter

from tumble.output import plural
from tumble.phyq.observation.objects import GameObject
from tumble.phyq.observation.view import Event
from tumble.phyq.simulation.episodes import Episodes
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.tasks.level import Block, Level, Piece, Pig, Platform
from tumble.phyq.tasks.task import Task
from tumble.phyq.tasks.templates import SCENARIOS, template

HARD_HIT = 1.0
"""Hits slower than this matter to nobody but pigs."""


def title(task: Task) -> str:
    """What a task is called: its id and its scenario."""
    return f"{task.id}, scenario {task.scenario}: {SCENARIOS[task.scenario]}" if task.scenario else task.id


def idea_of(task: Task) -> str:
    """How its template is solved; empty for a level of one's own."""
    return template(task.template).idea if task.template else ""


def contents(level: Level) -> str:
    """What is in a level: 2 red birds, 1 small pig, 3 blocks, 2 platforms."""
    parts = [plural(n, f"{colour} bird") for colour, n in Counter(level.birds).items()]
    parts += [plural(n, f"{size} pig") for size, n in Counter(pig.size for pig in level.pigs).items()]
    for pieces, word in ((level.blocks, "block"), (level.platforms, "platform")):
        parts += [plural(len(pieces), word)] if pieces else []
    return ", ".join([*parts, *([f"{len(level.tnts)} TNT"] if level.tnts else [])])


def piece_name(piece: Piece) -> str:
    """A piece by what it is."""
    if isinstance(piece, Pig):
        return f"{piece.size} pig"
    if isinstance(piece, Block):
        return f"{piece.material} {piece.shape}"
    return "platform {:.2f} x {:.2f}".format(*piece.size) if isinstance(piece, Platform) else "TNT"


def named(thing: GameObject | None) -> str:
    """A thing with its article; what is no thing is the ground."""
    if thing is None:
        return "the ground"
    name = {"pig": f"{thing.name} pig", "bird": f"{thing.name} bird", "block": f"{thing.material} {thing.name}"}
    return f"the {name.get(thing.kind, {'tnt': 'TNT'}.get(thing.kind, thing.kind))}"


def shot(given: Shot) -> str:
    """A shot: 38 degrees, stretch 0.9, tap at 0.6 of the flight."""
    parts = [f"{given.angle:g} degrees", f"stretch {given.stretch:g}"]
    if given.tap_ms is not None:
        parts.append(f"tap after {given.tap_ms:g} ms")
    if given.tap_share is not None:
        parts.append(f"tap at {given.tap_share:g} of the flight")
    if given.delay is not None:
        parts.append(f"after {given.delay:g} s")
    return ", ".join(parts)


def event(given: Event) -> str:
    """What happened, without when."""
    if given.kind == "hit":
        one, other = (
            (given.object, given.other) if _moves_more(given.object, given.other) else (given.other, given.object)
        )
        return f"{named(one)} hits {named(other)} at {given.speed:.1f} units/s"
    done = {"release": "flies off", "tap": "is tapped", "gone": "is gone"}
    if given.kind == "death":
        done["death"] = "dies" if given.object is not None and given.object.kind == "pig" else "is destroyed"
    return f"{named(given.object)} {done[given.kind]}"


def matters(given: Event) -> bool:
    """Whether an event is worth a line: deaths, shots, hits of pigs, and hard hits of birds."""
    if given.kind != "hit":
        return given.kind not in ("end", "gone")
    kinds = {one.kind for one in (given.object, given.other) if one is not None}
    return ("pig" in kinds and kinds != {"pig", "platform"}) or ("bird" in kinds and given.speed >= HARD_HIT)


def outcome(episodes: Episodes, row: int) -> str:
    """How an episode ended."""
    seconds, pigs = f"{episodes.seconds[row]:.1f} s", plural(int(episodes.pigs_left[row]), "pig")
    used, birds = int(episodes.shots_used[row]), len(episodes.worlds[episodes.level_of[row]].level.birds)
    with_birds = f"with {used} of {plural(birds, 'bird')}"
    return {
        "won": f"Won after {seconds} {with_birds}.",
        "lost": f"Lost after {seconds}: {pigs} left, and no bird.",
        "cap": f"Lost after {seconds}: {pigs} left when time ran out.",
        "open": f"Not over: {pigs} and {plural(birds - used, 'bird')} left after {seconds}.",
    }[str(episodes.status[row])]


def _moves_more(one: GameObject | None, other: GameObject | None) -> bool:
    """Which of two to name first: birds and eggs, then blocks, then pigs; what never moves comes last."""
    order = ("bird", "egg", "block", "tnt", "pig", "platform")
    rank = [order.index(thing.kind) if thing is not None else len(order) for thing in (one, other)]
    return rank[0] <= rank[1]


def in_words(shot: Shot) -> str:
    """A shot as briefly as can be."""
    words = [f"{shot.angle:.2f}°"]
    words += [f"stretch {shot.stretch:.3g}"] if shot.stretch < 1.0 else []
    words += [f"tap {shot.tap_ms:.0f} ms"] if shot.tap_ms is not None else []
    words += [f"tap {100.0 * shot.tap_share:.0f} %"] if shot.tap_share is not None else []
    words += [f"after {shot.delay:.3g} s"] if shot.delay is not None else []
    return " ".join(words)
