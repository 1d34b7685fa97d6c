"""Uses everything of PHYRE that Warp compiles, once (`tumble warmup`).

Imports are inside the functions: the names of parts are read without them.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from tumble.phyre.catalogue.task import Task

TASK = "00000:000"
SPARE = 4
"""More actions than are needed, since many are invalid."""


def _simulate(one: Task, device: str) -> None:
    """Enough variants of a task to share its past, which the CPU records, and a rollout that records its states."""
    from tumble.engine.host.rollout import CPU_FEWEST_VARIANTS, GPU_FEWEST_WORLDS
    from tumble.engine.host.stepping import FEW_WORLDS, MANY_WORLDS, stepped_by
    from tumble.phyre.simulation.actions import fixed_set
    from tumble.phyre.simulation.simulator import Simulator

    simulator = Simulator([one], device=device)
    sizes = {MANY_WORLDS: CPU_FEWEST_VARIANTS} if device == "cpu" else {FEW_WORLDS: 1, MANY_WORLDS: GPU_FEWEST_WORLDS}
    for settings, fewest in sizes.items():
        with stepped_by(settings):
            simulator.sweep(fixed_set(simulator.tier, SPARE * fewest), progress=lambda _: None)
            simulator.rollout(one, want=("states",))


def _tasks(device: str) -> None:
    from tumble.phyre.catalogue.tasks_by_id import task

    _simulate(task(TASK), device)


def _relations(device: str) -> None:
    from tumble.phyre.catalogue.tasks_by_id import task

    _simulate(replace(task(TASK), relations=("above",)), device)


def _session(device: str) -> None:
    from tumble.phyre.simulation.session import Session

    Session(TASK, device=device).step()


def _courses(device: str) -> None:
    from tumble.phyre.simulation.dense_outcomes import undisturbed_courses
    from tumble.phyre.simulation.simulator import Simulator

    undisturbed_courses(Simulator([TASK]))  # on the CPU, whatever the device


def _pictures(device: str) -> None:
    from tumble.phyre.catalogue.tasks_by_id import task
    from tumble.phyre.observation.view import picture

    picture(task(TASK).scene)  # on the CPU, whatever the device


WARMUPS: Mapping[str, Callable[[str], None]] = {
    "tasks": _tasks,
    "tasks with other relations": _relations,
    "sessions": _session,
    "courses without an action": _courses,
    "pictures": _pictures,
}
