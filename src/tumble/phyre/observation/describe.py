"""Tasks, goals and bodies in words."""

from tumble.phyre.observation.animation import STEPS_PER_SECOND
from tumble.phyre.observation.body_names import COLOURS, body_name
from tumble.phyre.observation.view import kind
from tumble.phyre.tasks.relations import goal_words
from tumble.phyre.tasks.task import HOLD_STEPS, Task
from tumble.phyre.tasks.templates import NAMES, template
from tumble.scene import Scene, colour_index


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
        return f"the {COLOURS[colour_index(body)]} {kind(body)}"
    appearance = [COLOURS[colour_index(body)]] + [kind(body)] * (kind(body) not in body_name(scene, index))
    return f"{body_name(scene, index)} ({' '.join(appearance)})"
