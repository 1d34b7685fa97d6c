"""Uses everything of Phy-Q that Warp compiles, once (`tumble warmup`).

Imports are inside the functions: the names of parts are read without them.
"""

from collections.abc import Callable, Mapping

TASK = "1.1:000"


def _episodes(device: str) -> None:
    from tumble.phyq.simulation.shots import Shot
    from tumble.phyq.simulation.simulator import Simulator

    Simulator([TASK], device=device).play([0], [[Shot(30.0)]])


def _pictures(device: str) -> None:
    from tumble.phyq.catalogue.tasks import task
    from tumble.phyq.observation.batch import BatchPainter, scene_of
    from tumble.phyq.observation.objects import objects_of
    from tumble.phyq.observation.sprites import SpriteTable
    from tumble.phyq.observation.view import View

    level = task(TASK).level
    objects = objects_of(level)
    painter = BatchPainter(SpriteTable(), device)
    painter.small_pictures(scene_of(painter.table, objects, level.slingshot))
    View(objects, level.slingshot).illustration()  # on the CPU, whatever the device


WARMUPS: Mapping[str, Callable[[str], None]] = {"episodes": _episodes, "pictures": _pictures}
