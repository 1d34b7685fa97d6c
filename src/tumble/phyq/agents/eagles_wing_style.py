"""In the style of Eagle's Wing: Datalab's strategies and one more, to break through as many blocks as possible.

Also known of the winner of 2017 and 2018: if a platform is in the way of the best shot, it shoots at a pig all the
same; birds are tapped earlier; and later attempts change the angle a little. The code is ours.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from tumble.draws import Draws
from tumble.phyq.agents.agent import AttemptState
from tumble.phyq.agents.datalab_style import DatalabStyle, Option, pig_options
from tumble.phyq.agents.perception import PerceivedScene

BLOCK_VALUE = 20.0
MIN_SHARE, MIN_SHARE_FIRST = 0.25, 0.15
"""The smallest share of all blocks to break through; less for the first shot."""
LARGEST_CHANGE = 1.0
"""The largest change of the angle in later attempts, in degrees."""


@dataclass
class EaglesWingStyle(DatalabStyle):
    """It never shoots at random if a pig is within reach."""

    def options(self, scene: PerceivedScene, state: AttemptState) -> Iterator[Option]:
        yield from super().options(scene, state)
        yield from penetration_options(scene, first=state.shots == 0)

    def best_option(self, scene: PerceivedScene, state: AttemptState) -> Option | None:
        best = super().best_option(scene, state)
        is_blocked = best is not None and any(scene.objects[k].kind == "platform" for k in best.aim.obstacles)
        if best is None or is_blocked:
            return max(pig_options(scene), key=lambda one: one.utility, default=best)
        return best

    def adjusted_angle(self, angle: float, state: AttemptState, draws: Draws) -> float:
        return angle if state.attempt == 1 else angle + draws.between(-LARGEST_CHANGE, LARGEST_CHANGE)

    def tap_share(self, bird: str, angle: float) -> float | None:
        return {"yellow": 0.7, "blue": 0.7, "white": 0.98}.get(bird)


def penetration_options(scene: PerceivedScene, first: bool) -> Iterator[Option]:
    """Flights through many objects that the bird breaks; pigs and TNT count double."""
    blocks = len(scene.relations.of_kind("block"))
    if scene.bird in ("red", "white") or not blocks:
        return
    targets = [(k, (scene.objects[k].x, scene.objects[k].y)) for k in range(len(scene.objects))]
    for aim in scene.aims_at([(k, point) for k, point in targets if scene.objects[k].kind != "platform"]):
        passed = [scene.objects[k] for k in (*aim.obstacles, aim.target)]
        if not all(scene.breaks(obj) for obj in passed):
            continue
        count = sum(1 if obj.kind == "block" else 2 for obj in passed)
        if count > (MIN_SHARE_FIRST if first else MIN_SHARE) * blocks:
            yield Option(BLOCK_VALUE * count, aim, "penetration")
