"""2D rigid bodies, many worlds at once, the same bits on every device.

    from tumble import engine
    worlds = engine.variants(scene, kinds=[ball], poses=[[[x, y, 0.0]] for x, y in places])
    goal = engine.touching(scene.index("green"), scene.index("blue"), hold=180)
    result = engine.rollout(worlds, goal, engine.Options(stride=10))

`docs/physics.md` says what is guaranteed.
"""

from tumble.engine.host.machine import check_device
from tumble.engine.host.options import EVENT, Options, OptionsError, Rollouts
from tumble.engine.host.rolling import rollout
from tumble.engine.host.states import States
from tumble.engine.host.worlds import Changes, Worlds, WorldsError, each, variants
from tumble.engine.identity import physics_id
from tumble.engine.rollout.populate import ADD, NEVER
from tumble.engine.rules.rule import RUN_TO_END, Rule, RuleError, touching

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
    "check_device",
    "each",
    "physics_id",
    "rollout",
    "touching",
    "variants",
]
