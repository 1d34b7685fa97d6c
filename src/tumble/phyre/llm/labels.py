"""Letters for the bodies of a task: A and B are those of the goal; bodies outside the view have none."""

from collections import Counter
from dataclasses import dataclass, replace

from tumble.llm.prompt import Mode
from tumble.phyre.llm.numbers import point_text
from tumble.phyre.observation.body_names import COLOURS
from tumble.phyre.observation.view import kind, objects
from tumble.phyre.tasks.task import Task
from tumble.scene import Body, Scene, colour_index

SMALLEST_GROUP = 4
"""Equal bodies that share a letter, with numbers behind it."""


@dataclass(frozen=True)
class Labels:
    """The labels of bodies by index, in the order in which they are listed."""

    of_body: dict[int, str]
    groups: tuple[tuple[int, ...], ...]
    """The bodies of each letter: one, or several equal ones."""

    @property
    def drawn(self) -> dict[int, str]:
        """The labels that pictures show: those of single bodies."""
        return {group[0]: self.of_body[group[0]] for group in self.groups if len(group) == 1}

    def names(self, scene: Scene, mode: Mode) -> dict[int, str]:
        """What labelled bodies are called: by where they are if only a picture is shown, which has no label of them."""
        if mode != "picture":
            return self.of_body
        return {k: self.drawn.get(k) or _place_name(scene.bodies[k]) for k in self.of_body}

    def lettered(self, scene: Scene, mode: Mode) -> Scene:
        """The scene with these names; bodies that repeat another one are left out."""
        names, seen = self.names(scene, mode), set(objects(scene).tolist())
        bodies = [
            replace(body, name=names.get(k, body.name).removeprefix("the "))
            for k, body in enumerate(scene.bodies)
            if k in names or k not in seen
        ]
        return replace(scene, bodies=tuple(bodies))


def labels_of(task: Task) -> Labels:
    """Goal bodies first, then bodies that can move, then fixed ones; a body exactly on another one has no label."""
    bodies = task.scene.bodies
    goal = [task.body, task.other]
    others = [int(k) for k in objects(task.scene) if k not in goal]
    places = {k: (_look(bodies[k]), bodies[k].position, bodies[k].angle) for k in others}
    first = {place: k for k, place in reversed(places.items())}
    others = sorted((k for k in others if first[places[k]] == k), key=lambda k: not bodies[k].dynamic)
    counts = Counter(_look(bodies[k]) for k in others)
    groups: dict[object, list[int]] = {}
    for k in [*goal, *others]:
        look = _look(bodies[k])
        groups.setdefault(look if k not in goal and counts[look] >= SMALLEST_GROUP else k, []).append(k)
    of_body = {}
    for number, members in enumerate(groups.values()):
        for place, k in enumerate(members, 1):
            of_body[k] = letters(number) + (str(place) if len(members) > 1 else "")
    return Labels(of_body, tuple(map(tuple, groups.values())))


def letters(number: int) -> str:
    """A, B, …, Z, AA, AB, …"""
    first, second = divmod(number, 26)
    return (letters(first - 1) if first else "") + chr(65 + second)


def _look(body: Body) -> object:
    return kind(body), body.dynamic, body.shapes


def _place_name(body: Body) -> str:
    return f"the {COLOURS[colour_index(body)]} {kind(body)} at {point_text(body.position)}"
