"""Tasks, goals and bodies in words, and which body a name means."""

import re

from tumble.errors import TumbleError
from tumble.phyre.catalogue.task import HOLD_STEPS, Task, goal_words
from tumble.phyre.catalogue.templates import NAMES, template
from tumble.phyre.observation.picture_files import STEPS_PER_SECOND
from tumble.phyre.observation.view import kind
from tumble.scene import Scene, colour_index

COLOUR_NAMES = ("white", "red", "green", "blue", "purple", "gray", "black")
BODY_LETTERS = r"[a-z]|[A-Z]{1,2}\d*"
"""Names that need the body's kind before them, as in: ball a, bar C, ball D12."""


class BodyError(TumbleError):
    """A body that a scene doesn't have."""


def body_name(scene: Scene, index: int) -> str:
    """A body's name with its article, as in: the ramp; a body without a name by its kind and colour."""
    body = scene.bodies[index]
    if body.role == "placed":
        placed = [k for k, other in enumerate(scene.bodies) if other.role == "placed"]
        name = "ball" if all(kind(scene.bodies[k]) == "ball" for k in placed) else "body"
        return f"the placed {name}" if len(placed) == 1 else f"placed {name} {placed.index(index) + 1}"
    if not body.name:
        return f"body {index} ({COLOUR_NAMES[colour_index(body)]} {kind(body)})"
    return f"{kind(body)} {body.name}" if re.fullmatch(BODY_LETTERS, body.name) else f"the {body.name}"


def body_index(scene: Scene, body: int | str) -> int:
    """The index of a body given by its index, its name, or its colour where only one body has that.

    >>> from tumble.scene import Body, Circle
    >>> ball = Body((Circle(5.0),), dynamic=True, role="object", name="ball")
    >>> body_index(Scene((ball,)), "green")
    0
    """
    if isinstance(body, str):
        named = [k for k, other in enumerate(scene.bodies) if other.name == body]
        found = named or [k for k, other in enumerate(scene.bodies) if COLOUR_NAMES[colour_index(other)] == body]
        if len(found) == 1:
            return found[0]
        if found:
            raise BodyError(f"{len(found)} bodies are {body}: give an index, one of {', '.join(map(str, found))}")
        names = ", ".join(repr(other.name) for other in scene.bodies if other.name)
        raise BodyError(f"no body is named {body!r}; the scene has {names or 'no names'}, and colours such as 'green'")
    if isinstance(body, bool) or not hasattr(body, "__index__"):
        raise BodyError(f"a body is given by its index, its name or its colour, not by {body!r}")
    index = int(body)
    if not 0 <= index < len(scene.bodies):
        raise BodyError(f"there is no body {index}: the scene has bodies 0 to {len(scene.bodies) - 1}")
    return index


def task_title(task: Task) -> str:
    """The id of a task, the name of its template and its tier."""
    name = NAMES.get(task.id.partition(":")[0])
    return ", ".join(filter(None, [task.id, name, f"tier {task.tier}"]))


def template_idea(description: str) -> str:
    """The first paragraph of a template's documentation, on one line."""
    return " ".join(description.partition("\n\n")[0].split())


def task_idea(task: Task) -> str:
    """The idea of the task's template; empty for a user-defined task."""
    key = task.id.partition(":")[0]
    return template_idea(template(key).description) if key in NAMES else ""


def describe_goal(task: Task) -> str:
    """What has to happen for the task to be solved."""
    body, other = (describe_body(task.scene, index) for index in (task.body, task.other))
    return goal_words(task.relations, body, other, HOLD_STEPS / STEPS_PER_SECOND)


def describe_body(scene: Scene, index: int) -> str:
    """A body's name and appearance, as in: the floor (purple bar)."""
    body = scene.bodies[index]
    if not body.name:
        return f"the {COLOUR_NAMES[colour_index(body)]} {kind(body)}"
    appearance = [COLOUR_NAMES[colour_index(body)]] + [kind(body)] * (kind(body) not in body_name(scene, index))
    return f"{body_name(scene, index)} ({' '.join(appearance)})"
