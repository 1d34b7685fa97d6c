"""2D rigid bodies, many worlds at once, the same bits on every device.

    from tumble import engine
    worlds = engine.variants(scene, kinds=[ball], poses=[[[x, y, 0.0]] for x, y in places])
    goal = engine.touching(scene.index("green"), scene.index("blue"), hold=180)
    result = engine.rollout(worlds, goal, engine.Options(stride=10))

`docs/physics.md` says what is guaranteed.
"""

from tumble.engine.identity import physics_id
from tumble.engine.options import EVENT, Options, OptionsError, Rollouts
from tumble.engine.populate import ADD, NEVER
from tumble.engine.rolling import rollout
from tumble.engine.rules import RUN_TO_END, Rule, RuleError, touching
from tumble.engine.states import States
from tumble.engine.worlds import Changes, Worlds, WorldsError, each, variants

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
    "RuleError",
    "States",
    "Worlds",
    "WorldsError",
    "each",
    "physics_id",
    "rollout",
    "touching",
    "variants",
]
