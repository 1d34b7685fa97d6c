"""Why an episode ended as it did: the chain of causes from the released birds to the pigs that died.

>>> from tumble.phyq.generation.solutions import solution
>>> from tumble.phyq.catalogue.tasks import task
>>> explanation = explain(task("4.4:000"), solution("4.4:000").shots)
>>> explanation.lines()[0]
'1  0.00 s  bird 0 is released'
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tumble.phyq.catalogue.level import overlap_depth, placed_corners, shape_corners
from tumble.phyq.catalogue.physics import STEP
from tumble.phyq.catalogue.rule import Rule
from tumble.phyq.catalogue.tasks import Task
from tumble.phyq.catalogue.template import Template
from tumble.phyq.catalogue.templates import template
from tumble.phyq.generation.rule_check import EpisodeRecord, Verdict, follows
from tumble.phyq.simulation import game_layout, simulator
from tumble.phyq.simulation.episodes import Episodes
from tumble.phyq.simulation.shots import Shot
from tumble.scene import Vec

STRIDE = 2
"""Steps between the poses that are kept."""
RESTING_GAP = 0.04
"""Bodies that are no further apart at the start than this touch each other."""
MOVED = 0.05
"""Units by which a body has to move to count as moved."""
Support = tuple[int, int, list[int]]
"""The step in which a piece has moved, its body, and the bodies that it touched at the start."""
Kind = Literal["release", "tap", "touch", "push", "support", "split", "drop", "destroy", "kill", "explode", "fall"]
WORDS: dict[str, str] = {
    "touch": "{a} touches {b}",
    "push": "{a} pushes {b}",
    "support": "{a} gives way, so that {b} moves",
    "split": "{a} splits into {b}",
    "drop": "{a} drops {b}",
    "destroy": "{a} destroys {b}",
    "kill": "{a} kills {b}",
    "explode": "the explosion of {a} destroys {b}",
    "release": "{b} is released",
    "tap": "{b} is tapped",
    "fall": "{b} dies in a fall",
}


@dataclass(frozen=True)
class Link:
    """One cause in a chain: what a body did to another one, when, and where."""

    step: int
    kind: Kind
    source: int | None
    target: int
    point: Vec
    speed: float = 0.0
    """Approach speed of a contact."""


@dataclass(frozen=True)
class Explanation:
    """The chain of causes of an episode in order of time, and whether it follows the rule of its template."""

    task: Task
    episodes: Episodes
    record: EpisodeRecord
    links: tuple[Link, ...]
    rule: Rule | None = None
    verdict: Verdict | None = None

    def lines(self) -> list[str]:
        """The links as numbered lines with their times."""
        return [
            f"{number}  {self.seconds(link.step):.2f} s  {self.text(link)}" for number, link in enumerate(self.links, 1)
        ]

    def text(self, link: Link) -> str:
        """What happens in a link."""
        names = self.record.names
        text = WORDS[link.kind].format(a="" if link.source is None else names[link.source], b=names[link.target])
        if link.kind == "explode" and self.record.world.members[link.target].role == "pig":
            text = text.replace("destroys", "kills")
        return f"{text} at {link.speed:.1f} units/s" if link.kind in ("touch", "push") else text

    def seconds(self, step: int) -> float:
        """The time of a step since the level was ready."""
        return float(step - self.episodes.start[self.record.row]) * STEP


def explain(task: Task, shots: Sequence[Shot], device: str = "cpu") -> Explanation:
    """Plays shots on a task and explains what happens; user-defined levels have no rule."""
    design: Template | None = template(task.template) if task.template else None
    base = design.base if design else task.level
    episodes = simulator.play(task.level, [shots], device, want=("events", "trajectory", "states"), stride=STRIDE)
    record = EpisodeRecord(episodes, 0, base)
    rule = design.rule if design else None
    verdict = follows(rule, base, episodes, 0) if rule else None
    return Explanation(task, episodes, record, _Chain(record).links(), rule, verdict)


class _Chain:
    """Follows motion from the birds through contacts and lost supports, then backwards from the deaths of pigs."""

    def __init__(self, record: EpisodeRecord) -> None:
        self.record, self.episodes, self.row = record, record.episodes, record.row
        self.members = record.world.members
        self.frames = self.episodes.frames + int(self.episodes.start[self.row])
        self.poses = self.episodes.poses[self.row].astype(float)
        self.reached: dict[int, int] = {}
        self.from_link: dict[int, Link] = {}
        self._spread()

    def links(self) -> tuple[Link, ...]:
        """The links that lead to the deaths of pigs; without any, those of the birds' first contacts."""
        found: dict[tuple[int, str, int | None, int], Link] = {}

        def add(link: Link) -> None:
            found.setdefault((link.step, link.kind, link.source, link.target), link)

        pigs = [int(body) for body in self.record.world.of_role("pig") if self.record.died(int(body))]
        for pig in pigs:
            for link in self._to_death(pig):
                add(link)
        for event in self.record.events:
            if event["kind"] in ("release", "tap"):
                body = int(event["body"])
                add(Link(int(event["step"]), str(event["kind"]), None, body, self.place(body, int(event["step"]))))  # type: ignore[arg-type]
        if not pigs:
            for bird in np.flatnonzero([member.kind >= game_layout.BIRD for member in self.members]).tolist():
                for link in self._bounces(bird, 0, int(self.episodes.steps[self.row]))[:3]:
                    add(link)
        order = ("release", "tap", "split", "drop", "touch", "push", "support", "destroy", "explode", "kill", "fall")
        return tuple(sorted(found.values(), key=lambda link: (link.step, order.index(link.kind))))

    def _to_death(self, pig: int) -> list[Link]:
        """The links that lead to the death of a pig."""
        cause = self.record.cause(pig)
        assert cause is not None
        point = self.place(pig, cause.step)
        if cause.by is None:
            links = [Link(cause.step, "fall", None, pig, point)]
            return [*links, *self._back(pig, cause.step)]
        kind: Kind = "explode" if cause.by_explosion else "kill"
        links = [Link(cause.step, kind, cause.by, pig, point)]
        links += self._bounces(cause.by, self.reached.get(cause.by, 0), cause.step)
        return [*links, *self._back(cause.by, cause.step)]

    def _back(self, body: int, until: int) -> list[Link]:
        """The links through which motion came to a body, from the last to the first."""
        links: list[Link] = []
        seen = {body}
        while body in self.from_link:
            link = self.from_link[body]
            links.append(link)
            source = link.source
            if source is None or source in seen:
                break
            seen.add(source)
            links += self._bounces(source, self.reached.get(source, 0), link.step)
            death = self.record.cause(source)
            if link.kind == "support" and death is not None and death.by is not None and death.step <= link.step:
                kind: Kind = "explode" if death.by_explosion else "destroy"
                links.append(Link(death.step, kind, death.by, source, self.place(source, death.step)))
                links += self._bounces(death.by, self.reached.get(death.by, 0), death.step)
                source = death.by
                if source in seen:
                    break
                seen.add(source)
            body = source
        return links

    def _bounces(self, body: int, begin: int, end: int) -> list[Link]:
        """The first contact of a body with each fixed one between two steps."""
        found: dict[int, Link] = {}
        for hit in self.record.hits:
            pair = int(hit["body"]), int(hit["other"])
            if body in pair and begin <= hit["step"] < end:
                other = pair[0] + pair[1] - body
                if self.members[other].kind == game_layout.FIXED and other not in found:
                    found[other] = _link("touch", hit, body, other)
        return list(found.values())

    def _spread(self) -> None:
        """The step in which motion of the birds can first have reached each body, and the link by which."""
        for event in self.record.events[self.record.events["kind"] == "release"]:
            self.reached[int(event["body"])] = int(event["step"])
        for body, member in enumerate(self.members):
            if member.role in ("split_bird", "egg") and np.isfinite(self.poses[:, body, 0]).any():
                step = int(self.frames[int(np.argmax(np.isfinite(self.poses[:, body, 0])))])
                bird = self.record.world.first_bird + member.number
                kind: Kind = "drop" if member.role == "egg" else "split"
                self._reach(Link(step, kind, bird, body, self.place(body, step)))
        waiting = self._lost_supports()
        for hit in self.record.hits:
            step = int(hit["step"])
            waiting = self._reach_supported(waiting, step)
            a, b = int(hit["body"]), int(hit["other"])
            for source, target in ((a, b), (b, a)):
                movable = (
                    self.members[source].kind != game_layout.FIXED and self.members[target].kind != game_layout.FIXED
                )
                if movable and self.reached.get(source, step + 1) <= step and target not in self.reached:
                    self._reach(_link("push", hit, source, target))
        self._reach_supported(waiting, int(self.episodes.steps[self.row]))

    def _reach(self, link: Link) -> None:
        self.reached[link.target] = link.step
        self.from_link[link.target] = link

    def _reach_supported(self, waiting: list[Support], until: int) -> list[Support]:
        """Adds bodies that moved until a step because something that they touched had moved; returns the others."""
        rest = []
        for step, body, touching in waiting:
            source = next((other for other in touching if self.reached.get(other, step + 1) <= step), None)
            if step > until or body in self.reached:
                rest.append((step, body, touching))
            elif source is not None:
                self._reach(Link(step, "support", source, body, self.place(body, step)))
        return rest

    def _lost_supports(self) -> list[Support]:
        """The pieces that move, in order of time."""
        bodies = [int(body) for body in self.record.world.dynamic if body < self.record.world.first_bird]
        outlines = {body: self._outline(body) for body in bodies}
        found = []
        for body in bodies:
            step = self._moved_at(body)
            if step is not None:
                touching = [
                    other
                    for other in bodies
                    if other != body and overlap_depth(outlines[body], outlines[other]) > -RESTING_GAP
                ]
                found.append((step, body, touching))
        return sorted(found)

    def _outline(self, body: int) -> np.ndarray:
        """The outline [n, 2] of a body at the start."""
        x, y, turn = self.poses[0, body].tolist()
        return placed_corners(
            shape_corners(self.record.world.scene.bodies[body].shapes[0]), x, y, float(np.degrees(turn))
        )

    def _moved_at(self, body: int) -> int | None:
        """The step in which a body has moved by MOVED or was destroyed."""
        away = np.hypot(*(self.poses[:, body, :2] - self.poses[0, body, :2]).T) >= MOVED
        died = self.record.died(body)
        steps = [int(self.frames[int(np.argmax(away))])] if away.any() else []
        return min([*steps, *([died] if died else [])], default=None)

    def place(self, body: int, step: int) -> Vec:
        """Where a body is in a step, or was before it was removed."""
        until = np.flatnonzero((self.frames <= step) & np.isfinite(self.poses[:, body, 0]))
        frame = int(until[-1]) if len(until) else int(np.argmax(np.isfinite(self.poses[:, body, 0])))
        x, y = self.poses[frame, body, :2].tolist()
        return x, y


def _link(kind: Kind, hit: np.void, source: int, target: int) -> Link:
    x, y = hit["point"].tolist()
    return Link(int(hit["step"]), kind, source, target, (x, y), float(hit["speed"]))
