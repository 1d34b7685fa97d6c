"""The speed of Phy-Q's vector environment: steps/s by the number of environments and the observation.

    python benchmarks/phyq_env_speed.py                                one core: 1, 8 and 64 environments
    python benchmarks/phyq_env_speed.py --device cuda --envs 1024      on a GPU

Tasks are drawn from all 7,500, actions from the 180 angles. A step is one of Gymnasium's: a shot in each environment,
or its reset where the last step ended the episode. It is measured twice: while most levels are new, so that they are
built and settled, and again over the same tasks, when all are known. `simulated` is the share of the time spent in the
engine, settling included. Rates by CPU time depend little on what else the machine does.
"""

import argparse
import time
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import numpy as np
import warp as wp
from table import Results

from tumble import engine
from tumble.phyq.envs.vector_env import PhyQVectorEnv
from tumble.phyq.simulation.simulator import physics_id

ENVS = (1, 8, 64)
OBSERVATIONS = ("symbolic", "small_image", "objects")
MUST = {("cpu", "symbolic"): "300", ("cpu", "small_image"): "150"}
MUST |= {("cuda", "symbolic"): "3000", ("cuda", "small_image"): "1500"}
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


def measure(results: Results, count: int, observation: str, device: str, threads: int, on_device: bool) -> None:
    calls = max(FEWEST_CALLS, FEWEST_STEPS // count)
    settings: dict[str, Any] = {"observation": observation, "device": device, "threads": threads}
    run(PhyQVectorEnv(2, **settings), 2)  # compiles kernels
    envs = PhyQVectorEnv(count, on_device=on_device, **settings)
    for known in (False, True):
        wall, cpu, simulated = run(envs, calls)
        steps = calls * count
        must = MUST.get((device.split(":")[0], observation), "") if known and count >= 64 else ""
        note = f"{steps / cpu:.0f} by CPU time, {100 * simulated / wall:.0f} % simulated, {steps} steps"
        levels = "known levels" if known else "new levels"
        results.add(f"{observation}, {count} environments, {levels}: steps/s", f"{steps / wall:.0f}", must, "", note)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--envs", type=int, nargs="+", default=ENVS)
    parser.add_argument("--observations", nargs="+", default=OBSERVATIONS)
    parser.add_argument("--threads", type=int, default=1, help="CPU threads of the engine")
    parser.add_argument("--on-device", action="store_true", help="leave observations on the device")
    options = parser.parse_args()
    is_cpu = options.device == "cpu"
    name = "" if is_cpu else str(wp.get_device(options.device).name)
    results = Results(f"Phy-Q's vector environment, {physics_id()}", name)
    for observation in options.observations:
        for count in options.envs:
            measure(results, count, observation, options.device, options.threads, options.on_device)
    results.finish("phyq-env-speed" if is_cpu else "phyq-env-speed-gpu")


if __name__ == "__main__":
    main()
