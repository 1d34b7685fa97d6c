"""2D rigid bodies, many worlds at once, the same bits on every device.

    from tumble import engine
    worlds = engine.variants(scene, kinds=[ball], poses=[[[x, y, 0.0]] for x, y in places])
    goal = engine.touching(scene.index("green"), scene.index("blue"), hold=180)
    result = engine.rollout(worlds, goal, engine.Options(stride=10))

`docs/guides/engine.md` says how to use it, `docs/reference/physics.md` what is guaranteed. Folders import only
those before them:
state < collision < dynamics < rules < rollout < host.
"""

from tumble.engine.host.machine import check_device
from tumble.engine.host.options import EVENT, Options, OptionsError, Rollouts
from tumble.engine.host.rollout import rollout
from tumble.engine.host.states import States
from tumble.engine.host.worlds import Changes, Worlds, WorldsError, each, variants
from tumble.engine.rollout.lanes import ADD, NO_CHANGE
from tumble.engine.rules import changes, queries
from tumble.engine.rules.relations import Relation, relations
from tumble.engine.rules.rule import RUN_TO_END, Rule, RuleError, touching
from tumble.engine.state import World
from tumble.engine.state.constants import physics_id

__all__ = [
    "ADD",
    "EVENT",
    "NO_CHANGE",
    "RUN_TO_END",
    "Changes",
    "Options",
    "OptionsError",
    "Relation",
    "Rollouts",
    "Rule",
    "RuleError",
    "States",
    "World",
    "Worlds",
    "WorldsError",
    "changes",
    "check_device",
    "each",
    "physics_id",
    "queries",
    "relations",
    "rollout",
    "touching",
    "variants",
]
