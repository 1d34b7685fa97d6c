"""Uses everything of ComPhy that Warp compiles, once (`tumble warmup`).

Imports are inside the functions: the names of parts are read without them.
"""

from collections.abc import Callable, Mapping

SIZE = (48, 32)
HEIGHT = 0.2


def _simulate(exact: bool, device: str) -> None:
    """A body at rest, for two frames."""
    import numpy as np

    from tumble.comphy.simulation.batch import WorldArrays, simulate_arrays

    zeros, vectors = np.zeros((1, 1)), np.zeros((1, 1, 2))
    worlds = WorldArrays(
        counts=np.ones(1, np.int32),
        shapes=np.zeros((1, 1), np.int32),
        masses=zeros + 1.0,
        charges=zeros,
        places=vectors,
        yaws=zeros,
        velocities=vectors,
    )
    simulate_arrays(worlds, 2, exact, device)


def _simulation(device: str) -> None:
    _simulate(True, device)


def _fits(device: str) -> None:
    _simulate(False, device)


def _videos(device: str) -> None:
    import numpy as np

    from tumble.comphy.catalogue.body import Body
    from tumble.comphy.observation.renderer.ray_tracer import render_many
    from tumble.comphy.observation.renderer.scene import Clip

    place, upright = np.array([[[0.0, 0.0, HEIGHT]]]), np.array([[[1.0, 0.0, 0.0, 0.0]]])
    render_many([Clip((Body("red", "metal", "cube"),), place, upright)], SIZE, device)


def _staged_videos(device: str) -> None:
    import numpy as np

    from tumble.comphy.catalogue.video_set import Stage
    from tumble.comphy.observation.staged import ObjectLook, StagedClip, render_many_staged

    place, upright = np.zeros((1, 1, 3)), np.array([[[1.0, 0.0, 0.0, 0.0]]])
    clip = StagedClip((ObjectLook("mug", 0, "red", "metal"),), place, upright, Stage("planks", "window"))
    render_many_staged([clip], SIZE, device)


def _objects(device: str) -> None:
    """An object at rest, for two frames."""
    import numpy as np

    from tumble.comphy.catalogue.body import Body
    from tumble.comphy.simulation.simulator import InitialState, simulate_many

    bodies = (Body("red", "wood", "bottle"),)
    start = InitialState.on_table(bodies, np.zeros((1, 2)), np.zeros(1), np.zeros((1, 2)))
    simulate_many([(bodies, start)], 2, device=device)


def _object_fits(device: str) -> None:
    """An object at rest, for two frames, with merged steps."""
    import numpy as np

    from tumble.comphy.simulation.batch import WorldArrays, simulate_object_arrays

    zeros, vectors, none = np.zeros((1, 1)), np.zeros((1, 1, 2)), np.zeros((1, 1), np.int32)
    worlds = WorldArrays(np.ones(1, np.int32), none, zeros + 1.0, zeros, vectors, zeros, vectors)
    simulate_object_arrays(worlds, [("bottle", 0)], none, 2, exact=False, device=device)


WARMUPS: Mapping[str, Callable[[str], None]] = {
    "simulation": _simulation,
    "objects": _objects,
    "videos": _videos,
    "videos of everyday objects": _staged_videos,
    "fits": _fits,
    "fits of everyday objects": _object_fits,
}
