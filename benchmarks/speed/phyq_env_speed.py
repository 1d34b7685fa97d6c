"""The speed of Phy-Q's vector environment: steps/s by the number of environments and the observation.

    python benchmarks/speed/phyq_env_speed.py                                one core: 1, 8 and 64 environments
    python benchmarks/speed/phyq_env_speed.py --device cuda --envs 1024      on a GPU
    python benchmarks/speed/phyq_env_speed.py --threads 16 --drawing-device cuda     simulated on 16 cores, drawn on a GPU

Tasks are drawn from all 7,500, actions from the 180 angles. A step is one of Gymnasium's: a shot in each environment,
or its reset where the last step ended the episode. It is measured twice: while most levels are new, so that they are
built and settled, and again over the same tasks, when all are known. `simulated` is the share of the time spent in the
engine, settling included. Rates by CPU time depend little on what else the machine does.
"""

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
import warp as wp
from table import Results

from tumble import engine
from tumble.phyq.envs.env import PhyQVectorEnv
from tumble.phyq.simulation.simulator import physics_id

ENVS = (1, 8, 64)
OBSERVATIONS = ("symbolic", "small_image", "objects")
CPU_MUST = {"symbolic": "300", "small_image": "150"}
GPU_MUST = {"symbolic": "3000", "small_image": "1500"}
FEWEST_STEPS = 512
"""Steps of single environments in each measurement, at least."""
FEWEST_CALLS = 8
SEED = 0


class Stopwatch:
    """Seconds spent in calls of a function."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function, self.seconds = function, 0.0

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        start = time.perf_counter()
        result = self._function(*arguments, **named)
        self.seconds += time.perf_counter() - start
        return result


def run(envs: PhyQVectorEnv, calls: int) -> tuple[float, float, float]:
    """Seconds, seconds of CPU time and seconds in the engine, for steps from a fixed seed on."""
    envs.reset(seed=SEED)
    actions = np.random.default_rng(SEED).integers(180, size=(calls, envs.num_envs))
    with patch.object(engine, "rollout", Stopwatch(engine.rollout)) as stopwatch:
        start, cpu = time.perf_counter(), time.process_time()
        for own in actions:
            envs.step(own)
        return time.perf_counter() - start, time.process_time() - cpu, stopwatch.seconds


def measure(results: Results, count: int, must: dict[str, str], on_device: bool, settings: dict[str, Any]) -> None:
    calls = max(FEWEST_CALLS, FEWEST_STEPS // count)
    observation = settings["observation"]
    run(PhyQVectorEnv(2, **settings), 2)  # compiles kernels
    envs = PhyQVectorEnv(count, on_device=on_device, **settings)
    for known in (False, True):
        wall, cpu, simulated = run(envs, calls)
        steps = calls * count
        least = must.get(observation, "") if known and count >= 64 else ""
        note = f"{steps / cpu:.0f} by CPU time, {100 * simulated / wall:.0f} % simulated, {steps} steps"
        levels = "known levels" if known else "new levels"
        results.add(f"{observation}, {count} environments, {levels}: steps/s", f"{steps / wall:.0f}", least, "", note)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--envs", type=int, nargs="+", default=ENVS)
    parser.add_argument("--observations", nargs="+", default=OBSERVATIONS)
    parser.add_argument("--drawing-device", default=None, help="where observations are drawn, if not on --device")
    parser.add_argument("--threads", type=int, default=1, help="CPU threads of the engine")
    parser.add_argument("--on-device", action="store_true", help="leave observations on the device")
    options = parser.parse_args()
    gpu = next((one for one in (options.device, options.drawing_device) if one and one != "cpu"), None)
    name = "" if gpu is None else str(wp.get_device(gpu).name)
    results = Results(f"Phy-Q's vector environment, {physics_id()}", name)
    for observation in options.observations:
        for count in options.envs:
            settings = {
                "observation": observation,
                "device": options.device,
                "threads": options.threads,
                "drawing_device": options.drawing_device,
            }
            measure(results, count, GPU_MUST if gpu else CPU_MUST, options.on_device, settings)
    results.finish("phyq-env-speed" if gpu is None else f"phyq-env-speed-gpu{'-drawing' * (options.device == 'cpu')}")


if __name__ == "__main__":
    main()
