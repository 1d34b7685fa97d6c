"""The kernels that `engine_phases.py` needs, compiled for a kind of GPU by several processes into Warp's cache."""

import time
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import warp as wp
from engine_phase_work import phyq_rule
from settings_search import FEW_AXES, FUSED_AXES, PHASE_AXES, variants

from tumble import engine
from tumble.engine.host.chunk import kernels_to_load
from tumble.engine.host.stepping import FEW_WORLDS, MANY_WORLDS, PhaseSettings
from tumble.engine.rollout.kernels import Kernels, kernels_for
from tumble.engine.rollout.phases import phased_kernels_for
from tumble.phyre.catalogue.task import HOLD_STEPS
from tumble.phyre.simulation.overlap import mark_clear

WARP_BLOCK = 256
"""Threads of a block where a launch names no other number."""


@cache
def _rules() -> tuple[engine.Rule, engine.Rule]:
    """Those of PHYRE's published tasks, which are about touching, and of Phy-Q."""
    return engine.touching(0, 1, HOLD_STEPS), phyq_rule()


def _ways(kernels: Kernels) -> list[Any]:
    """Without `record`, which runs on the CPU."""
    return [one for one in (kernels.roll_out, kernels.approach, kernels.branch) if one]


@cache
def needed_kernels(parts: tuple[str, ...]) -> list[tuple[Any, int]]:
    """All kernels that the parts use, with their block sizes, the largest first: the fused ones."""
    phyre_rule, phyq = _rules()
    needed: dict[tuple[Any, int], None] = {}
    few, many = (FEW_AXES, FUSED_AXES) if "fused" in parts else ((), ())
    for chosen in (*variants(FEW_WORLDS, few), *variants(MANY_WORLDS, many)):
        for kernel in _ways(kernels_for(phyre_rule, one_module=False, registers=chosen.registers)):
            needed[kernel, chosen.block] = None
    searched = [(phyq, one) for one in variants(PhaseSettings(), PHASE_AXES if "settings" in parts else ())]
    for rule, settings in searched:
        roll_out = phased_kernels_for(rule, settings.registers).roll_out
        needed |= dict.fromkeys((kernel, settings.block) for kernel in kernels_to_load(roll_out, settings))
    return [*needed, (mark_clear, WARP_BLOCK)]


def _compiled(kernel: Any, block: int, arch: int) -> Path | None:
    """The compiled kernel in Warp's cache, if it is there."""
    name = kernel.module.get_module_identifier(block)
    path = Path(wp.config.kernel_cache_dir) / name / f"{name}.sm{arch}.cubin"
    return path if path.exists() else None


def _compile(parts: tuple[str, ...], index: int, arch: int) -> str:
    """Compiles one of the kernels, in a process of a pool."""
    kernel, block = needed_kernels(parts)[index]
    start = time.perf_counter()
    kernel.module.options["block_dim"] = block
    wp.compile_aot_module(kernel.module, arch=arch, use_ptx=False)
    file = _compiled(kernel, block, arch)
    if file is None:
        return f"{kernel.key}, block {block}: compiled, but not under the name that Warp will look for"
    size = file.stat().st_size // 1024
    return f"{kernel.key}, block {block}: {size} kB, compiled in {time.perf_counter() - start:.1f} s"


def compile_missing(parts: tuple[str, ...], arch: int, workers: int) -> None:
    """Compiles the kernels that Warp's cache lacks; the machine need not have such a GPU."""
    wp.init()
    kernels = needed_kernels(parts)
    missing = [k for k, (kernel, block) in enumerate(kernels) if _compiled(kernel, block, arch) is None]
    print(f"{len(missing)} of {len(kernels)} kernels are to be compiled", flush=True)
    if not missing:
        return
    with ProcessPoolExecutor(min(workers, len(missing)), mp_context=get_context("spawn")) as pool:
        for done in [pool.submit(_compile, parts, index, arch) for index in missing]:
            print(done.result(), flush=True)
