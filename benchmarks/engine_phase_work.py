"""The work that `engine_phases.py` measures: PHYRE worlds as in `speed.py`, Phy-Q shots as in `phyq_speed.py`."""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any
from unittest.mock import patch

import numpy as np
import warp as wp
from cubin import kernel_code
from published import Published, one_of_each

from tumble import engine
from tumble.engine.host import shared_past
from tumble.engine.host.machine import GPU_THREADS_PER_BLOCK, Machine
from tumble.engine.host.options import Options
from tumble.engine.host.phase_settings import PhaseSettings
from tumble.engine.host.phased import kernels_of
from tumble.engine.rollout.kernels import kernels_for
from tumble.engine.rollout.phased_kernels import phased_kernels_for
from tumble.phyq.simulation.episodes import Episodes
from tumble.phyq.simulation.shots import table_of
from tumble.phyq.simulation.simulator import Simulator
from tumble.phyq.tasks.templates import templates
from tumble.phyre.simulation.actions import placed_balls
from tumble.phyre.simulation.ball_worlds import build_worlds
from tumble.phyre.simulation.goal_rule import goal_rule


@dataclass(frozen=True)
class Work:
    """Worlds and the rule that decides them."""

    worlds: engine.Worlds
    rule: engine.Rule

    def __len__(self) -> int:
        return len(self.worlds)

    def roll_out(self, device: str, fewest: int = shared_past.GPU_FEWEST_VARIANTS, **options: Any) -> engine.Rollouts:
        """Rolls all out; scenes with at least `fewest` variants share their past on a GPU."""
        with patch.object(shared_past, "GPU_FEWEST_VARIANTS", fewest):
            return engine.rollout(self.worlds, self.rule, engine.Options(device=device, **options))


def phyre_work(data: Published, tier: str, per_task: int) -> Work:
    """Random valid actions on one task of each template: those of `published.cases_of`."""
    rng = np.random.default_rng(1)
    ids = one_of_each(data, tier)
    actions = [data.random_valid(task_id, per_task, rng) for task_id in ids]
    of = np.repeat(np.arange(len(ids)), [len(some) for some in actions])
    tasks = [data.tasks[task_id] for task_id in ids]
    balls = placed_balls(np.concatenate(actions))
    return Work(build_worlds(tuple(task.scene for task in tasks), of, balls), goal_rule(tasks, of))


@dataclass(frozen=True)
class Shooting:
    """A simulator of Phy-Q's templates, settled."""

    simulator: Simulator

    def shoot(self, angles: np.ndarray) -> Episodes:
        """Shoots every angle once at every template."""
        count = len(self.simulator.worlds)
        return self.simulator.play(np.repeat(np.arange(count), len(angles)), table_of(np.tile(angles, count)))


@cache
def _levels(count: int) -> tuple[Any, ...]:
    return tuple(design.base for design in list(templates().values())[:count])


def phyq_work(device: str, count: int) -> Shooting:
    """The first templates."""
    result = Shooting(Simulator(_levels(count), device))
    result.simulator.settled_levels()
    return result


def phyq_rule() -> engine.Rule:
    """The rule of Phy-Q's simulator, as it hands it to the engine."""
    found: list[engine.Rule] = []

    class CaughtError(Exception):
        """Ends the simulation once the rule is known."""

    def catch(worlds: Any, rule: engine.Rule, *arguments: Any, **options: Any) -> None:
        found.append(rule)
        raise CaughtError

    with patch.object(engine, "rollout", catch):
        try:
            Simulator(_levels(1)).settled_levels()
        except CaughtError:
            return found[0]
    raise RuntimeError("Phy-Q's simulator called no rollout")


def needed_kernels(data: Published, variants: Iterable[PhaseSettings], fused: bool) -> dict[int, list[Any]]:
    """All kernels that the parts use, by block size."""
    task = data.tasks[one_of_each(data, "B")[0]]
    rules = (goal_rule([task], np.zeros(1, int)), phyq_rule())
    kernels: dict[int, dict[Any, None]] = {}
    for settings in (PhaseSettings(), *variants):
        for rule in rules:
            phased = phased_kernels_for(rule, settings.registers)
            for ends in (phased.roll_out, phased.record, phased.approach, phased.branch):
                if ends:
                    kernels.setdefault(settings.block, {}).update(dict.fromkeys(kernels_of(ends, settings)))
    if fused:
        built = [kernels_for(rule, one_module=False) for rule in rules]
        alone = [one for k in built for one in (k.roll_out, k.record, k.approach, k.branch) if one]
        kernels[GPU_THREADS_PER_BLOCK] = dict.fromkeys(alone)
    return {block: list(some) for block, some in kernels.items()}


def preload(kernels: dict[int, list[Any]], device: str) -> None:
    """Compiles kernels, those of a block size at once, or loads them from Warp's cache."""
    machine = Machine(Options(device=device))
    for block, some in kernels.items():
        machine.load(*some, block_dim=block)


def precompile(kernels: dict[int, list[Any]], arch: int) -> None:
    """Compiles kernels for a kind of GPU into Warp's cache, on a machine that may have none."""
    for block, some in kernels.items():
        for kernel in some:
            start = time.perf_counter()
            kernel.module.options["block_dim"] = block
            (file,) = wp.compile_aot_module(kernel.module, arch=arch, use_ptx=False)
            code = kernel_code(file)
            size = f"{code.code_bytes // 1024} kB of code, {code.registers} registers, {code.stack_bytes} B of stack"
            print(f"{kernel.key}: {size}, compiled in {time.perf_counter() - start:.1f} s", flush=True)
