"""Bodies and goals in words."""

from tumble.phyre.observation.animation import STEPS_PER_SECOND
from tumble.phyre.observation.body_names import COLOURS, body_name
from tumble.phyre.observation.view import kind
from tumble.phyre.tasks.relations import goal_words
from tumble.phyre.tasks.task import HOLD_STEPS, Task
from tumble.scene import Scene, colour_index


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
