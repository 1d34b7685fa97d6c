"""The original PHYRE's Python interface over Tumble's engine, for scripts that were written for it.

    import tumble.phyre.compat as phyre
    train, dev, test = phyre.get_fold("ball_cross_template", 0)
    simulator = phyre.initialize_simulator(test, "ball")
    simulator.simulate_action(0, simulator.sample()).status

Rows of images count from the bottom of the scene, as in the original. `docs/guides/from-phyre.md` lists every name,
what replaces it in `tumble.phyre`, and what differs.
"""

from tumble.phyre.compat import action_simulator, metrics, simulation, simulation_cache, vis
from tumble.phyre.compat.action_simulator import ActionSimulator, initialize_simulator
from tumble.phyre.compat.metrics import (
    ACTION_TIERS,
    MAIN_EVAL_SETUPS,
    MAX_TEST_ATTEMPTS,
    Evaluator,
    eval_setup_to_action_tier,
    get_fold,
    list_eval_setups,
)
from tumble.phyre.compat.simulation import (
    FeaturizedObjects,
    Simulation,
    SimulationStatus,
    featurized_objects_vector_to_raster,
)
from tumble.phyre.compat.simulation_cache import SimulationCache, get_default_100k_cache
from tumble.phyre.compat.vis import (
    NUM_COLORS,
    SCENE_HEIGHT,
    SCENE_WIDTH,
    observations_to_float_rgb,
    observations_to_uint8_rgb,
)

__all__ = [
    "ACTION_TIERS",
    "MAIN_EVAL_SETUPS",
    "MAX_TEST_ATTEMPTS",
    "NUM_COLORS",
    "SCENE_HEIGHT",
    "SCENE_WIDTH",
    "ActionSimulator",
    "Evaluator",
    "FeaturizedObjects",
    "Simulation",
    "SimulationCache",
    "SimulationStatus",
    "action_simulator",
    "eval_setup_to_action_tier",
    "featurized_objects_vector_to_raster",
    "get_default_100k_cache",
    "get_fold",
    "initialize_simulator",
    "list_eval_setups",
    "metrics",
    "observations_to_float_rgb",
    "observations_to_uint8_rgb",
    "simulation",
    "simulation_cache",
    "vis",
]
