"""In the style of Eagle's Wing: Datalab's strategies and one more, to break through as many blocks as possible.

What is known of the winner of 2017 and 2018 beyond that: where a platform is in the way of the best shot, it shoots at
a pig all the same; birds are tapped earlier; and retries turn the shot a little. The code is ours.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from tumble.draws import Draws
from tumble.phyq.agents.agent import Now
from tumble.phyq.agents.datalab_style import DatalabStyle, Option, pig_options
from tumble.phyq.agents.sight import Sight

BLOCK_VALUE = 20.0
LEAST_SHARE, LEAST_SHARE_FIRST = 0.25, 0.15
"""Of all blocks that have to be on the way; fewer for the first shot."""
TURN = 1.0
"""Degrees by which retries turn a shot, at most."""


@dataclass
class EaglesWingStyle(DatalabStyle):
    """It never shoots at random where there is a pig within reach."""

    def options(self, sight: Sight, now: Now) -> Iterator[Option]:
        yield from super().options(sight, now)
        yield from penetration_options(sight, first=now.shots == 0)

    def chosen(self, sight: Sight, now: Now) -> Option | None:
        best = super().chosen(sight, now)
        hidden = best is not None and any(sight.things[k].kind == "platform" for k in best.aim.way)
        if best is None or hidden:
            return max(pig_options(sight), key=lambda one: one.utility, default=best)
        return best

    def turned(self, angle: float, now: Now, draws: Draws) -> float:
        return angle if now.attempt == 1 else angle + draws.between(-TURN, TURN)

    def tap(self, bird: str, angle: float) -> float | None:
        return {"yellow": 0.7, "blue": 0.7, "white": 0.98}.get(bird)


def penetration_options(sight: Sight, first: bool) -> Iterator[Option]:
    """Flights through many blocks that the bird breaks; pigs and TNT count double."""
    blocks = len(sight.relations.of_kind("block"))
    if sight.bird in ("red", "white") or not blocks:
        return
    targets = [(k, (sight.things[k].x, sight.things[k].y)) for k in range(len(sight.things))]
    for aim in sight.aims_at([(k, point) for k, point in targets if sight.things[k].kind != "platform"]):
        way = [sight.things[k] for k in (*aim.way, aim.target)]
        if not all(sight.breaks(thing) for thing in way):
            continue
        count = sum(1 if thing.kind == "block" else 2 for thing in way)
        if count > (LEAST_SHARE_FIRST if first else LEAST_SHARE) * blocks:
            yield Option(BLOCK_VALUE * count, aim, "penetration")
