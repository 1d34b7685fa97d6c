"""Phy-Q's speed: shots until rest, steps of the vector environment, and shots of clients of the server.

    python benchmarks/speed/phyq_speed.py [--device cuda] [--part shots envs server]
    python benchmarks/speed/phyq_speed.py --device cuda --part envs --envs 1024 --threads 16 [--simulate-on cpu]

Shots are at the 75 templates; environments draw tasks from all 7,500 and take the 180 angles, with levels that are new
and again when all are known; `simulated` is the share of the time spent in the engine. Clients, each a process on this
machine, send the messages of the published PigShooter without its sleeps. Ratios are medians of ratios between
consecutive measurements.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle, islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from unittest.mock import patch

sys.path.append(str(Path(__file__).parents[1]))
sys.path.append(str(Path(__file__).resolve().parents[2] / "tests" / "phyq" / "server"))

import numpy as np
from table import Results, arguments, timed

from tumble import engine
from tumble.phyq.catalogue.templates import templates
from tumble.phyq.catalogue.trajectory import DISCRETE_ANGLES, REST_POINT, Release
from tumble.phyq.envs.env import PhyQVectorEnv
from tumble.phyq.observation.camera import to_pixels
from tumble.phyq.simulation.shots import table_of
from tumble.phyq.simulation.simulator import Simulator, physics_id

REPEATS = 5
CPU_ANGLES = np.array(DISCRETE_ANGLES[4::9])
GPU_TURNS = 20
"""Angles to a degree."""
OBSERVATIONS = ("symbolic", "small_image")
ENV_MUST = {("symbolic", True): "300", ("small_image", True): "150"}
GPU_ENV_MUST = {("symbolic", True): "3000", ("small_image", True): "1500"}
FEWEST_STEPS, FEWEST_CALLS = 512, 8
"""Of environments in each measurement."""
SERVER_SECONDS, LEVELS = 20.0, 680


def settled(device: str = "cpu", threads: int = 1) -> Simulator:
    """A simulator of all templates, settled."""
    simulator = Simulator([design.base for design in templates().values()], device, threads)
    simulator.settled_levels()
    return simulator


def shoot(simulator: Simulator, angles: np.ndarray) -> tuple[float, np.ndarray]:
    """Seconds to shoot every angle once at every template, and the steps of each shot."""
    level_of = np.repeat(np.arange(len(simulator.worlds)), len(angles))
    taken, episodes = timed(lambda: simulator.play(level_of, table_of(np.tile(angles, len(simulator.worlds)))))
    return taken, episodes.steps - episodes.start


def shots_on_cpu(results: Results) -> None:
    one, two = settled(), settled(threads=2)
    count = len(one.worlds) * len(CPU_ANGLES)
    shoot(one, CPU_ANGLES[:2])
    pairs, steps = [], np.zeros(0)
    for _ in range(REPEATS):
        taken, steps = shoot(one, CPU_ANGLES)
        pairs.append((taken, shoot(two, CPU_ANGLES)[0]))
    singles, doubles = np.array(pairs).T
    note = f"best {count / singles.min():.0f}; {count} shots at 75 templates, {steps.mean():.0f} steps on average"
    results.add("shots/s on one core, until rest", f"{count / np.median(singles):.0f}", "60", "150", note)
    note = f"{count / np.median(doubles):.0f} shots/s"
    results.add("two cores over one", f"{np.median(singles / doubles):.2f} x", note=note)


def shots_on_gpu(results: Results, device: str) -> None:
    """The 180 actions and angles between them at all templates, in one call."""
    simulator, spread = settled(device), np.arange(-90.0, 90.0, 1.0 / GPU_TURNS)
    count = len(simulator.worlds) * len(spread)
    shoot(simulator, spread)
    taken = float(np.median([shoot(simulator, spread)[0] for _ in range(3)]))
    note = f"{count} shots in one call, median of 3"
    results.add("shots/s on one GPU, until rest", f"{count / taken:.0f}", "10000", "30000", note)
    same = np.array_equal(shoot(simulator, CPU_ANGLES)[1], shoot(settled(threads=0), CPU_ANGLES)[1])
    results.add("shots that take as many steps as on the CPU", "all" if same else "not all", "all")


def environments(results: Results, given: Any) -> None:
    """Steps per second of vector environments: a shot in each, or its reset where the last step ended the episode."""
    must = ENV_MUST if given.device == "cpu" else GPU_ENV_MUST
    places = {"device": given.simulate_on or given.device, "drawing_device": given.device, "threads": given.threads}
    for observation in OBSERVATIONS:
        run(PhyQVectorEnv(2, observation=observation, **places), 2)  # compiles kernels
        for count in given.envs:
            envs = PhyQVectorEnv(count, observation=observation, **places)
            calls = max(FEWEST_CALLS, FEWEST_STEPS // count)
            for known in (False, True):
                taken, simulated = run(envs, calls)
                figure = f"{observation}, {count} environments, {'known' if known else 'new'} levels: steps/s"
                least = must.get((observation, known), "") if count >= 64 else ""
                note = f"{100 * simulated / taken:.0f} % simulated, {calls * count} steps"
                results.add(figure, f"{calls * count / taken:.0f}", least, "", note)


def run(envs: PhyQVectorEnv, calls: int) -> tuple[float, float]:
    """Seconds of steps from a fixed seed on, and seconds of them in the engine."""
    simulated, roll_out = [0.0], engine.rollout

    def watched(*values: Any, **named: Any) -> Any:
        taken, result = timed(lambda: roll_out(*values, **named))
        simulated[0] += taken
        return result

    envs.reset(seed=0)
    actions = np.random.default_rng(0).integers(180, size=(calls, envs.num_envs))
    with patch.object(engine, "rollout", watched):
        taken, _ = timed(lambda: [envs.step(row) for row in actions])
    return taken, simulated[0]


def play(port: int, number: int, until: float) -> int:
    """The shots of a client until a time."""
    from protocol_client import Client, PigShooterPlayer

    def release(level: int, shot: int) -> tuple[int, int]:
        pull = Release(10.0 + (17 * level + 29 * shot) % 60).pull
        x, y = to_pixels(np.array(REST_POINT) + 5.0 * np.array(pull))
        return round(x), round(y)

    shots = 0
    with Client(port) as client:
        player = PigShooterPlayer(client, release)
        player.start()
        for level in islice(cycle(range(1, LEVELS + 1)), 85 * number, None):
            if time.time() > until:
                break
            shots += player.play(level).shots
    return shots


@contextmanager
def served(folder: str) -> Iterator[int]:
    """The server's port, once its levels are prepared."""
    options = ["--setting", "broad", "--attempts", "5", "--port", "0", "--runs", folder, "--agent", "benchmark"]
    command = [sys.executable, "-m", "tumble", "phyq", "serve", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        found = next(match for line in process.stdout if (match := re.search(r"\.1:(\d+)", line)))
        drain = threading.Thread(target=process.stdout.read)  # its lines must be read, or it stops
        drain.start()
        try:
            yield int(found[1])
        finally:
            process.send_signal(signal.SIGINT)
            process.wait()
            drain.join()


def server(results: Results) -> None:
    with tempfile.TemporaryDirectory() as folder, served(folder) as port:
        for clients, must in ((1, ""), (8, "100"), (32, "")):
            with get_context("fork").Pool(clients) as pool:
                begin = time.time()
                places = [(port, number, begin + SERVER_SECONDS) for number in range(clients)]
                shots = sum(pool.starmap(play, places))
                seconds = time.time() - begin
            note = f"{os.cpu_count()} cores for server and clients, load {os.getloadavg()[0]:.1f}"
            results.add(f"shots/s, {clients} clients at once", f"{shots / seconds:.0f}", must, "", note)


def main() -> None:
    parts = ("shots", "envs", "server")
    given = arguments(__doc__, device="cpu", part=parts, envs=(1, 8, 64), threads=1, simulate_on="")
    results = Results(f"Phy-Q, {physics_id()}", given.device)
    if "shots" in given.part:
        shots_on_cpu(results) if given.device == "cpu" else shots_on_gpu(results, given.device)
    if "envs" in given.part:
        environments(results, given)
    if "server" in given.part and given.device == "cpu":
        server(results)
    results.keep_others("phyq-speed")
    results.finish("phyq-speed")


if __name__ == "__main__":
    main()
