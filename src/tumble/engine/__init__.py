"""2D rigid bodies, many worlds at once, the same bits on every device.

    from tumble import engine
    worlds = engine.variants(scene, kinds=[ball], poses=[[[x, y, 0.0]] for x, y in places])
    result = engine.rollout(worlds, engine.touching("a", "b", hold=180), engine.Options(stride=10))

`docs/physics.md` says what is guaranteed.
"""

from tumble.engine.options import EVENT, Options, OptionsError, Rollouts
from tumble.engine.rollout import rollout
from tumble.engine.rules import RUN_TO_END, Rule, touching
from tumble.engine.worlds import ADD, NEVER, Changes, Worlds, WorldsError, each, variants

__all__ = [
    "ADD",
    "EVENT",
    "NEVER",
    "RUN_TO_END",
    "Changes",
    "Options",
    "OptionsError",
    "Rollouts",
    "Rule",
    "Worlds",
    "WorldsError",
    "each",
    "rollout",
    "touching",
    "variants",
]
