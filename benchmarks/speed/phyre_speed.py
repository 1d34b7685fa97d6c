"""Large sweeps of PHYRE: 100,000 actions on one task of each template, and what all 5,000 tasks would take.

python benchmarks/speed/phyre_speed.py --device cuda [--actions 100000]
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

from table import Results, arguments, timed

from tumble import engine, phyre
from tumble.phyre.catalogue.templates import published_numbers
from tumble.phyre.simulation.actions import fixed_set
from tumble.phyre.simulation.status import INVALID

ALL_TASKS = 100
"""Tasks of each template."""


def main() -> None:
    given = arguments(__doc__, device="cpu", actions=100_000)
    results = Results(f"Sweeps of PHYRE, {engine.physics_id()}", given.device)
    middle = [f"{name}:{sorted(numbers)[len(numbers) // 2]:03d}" for name, numbers in published_numbers().items()]
    total = 0.0
    for tier in phyre.TIERS.values():
        tasks = [task for task in map(phyre.task, middle) if task.tier == tier.name]
        actions = fixed_set(tier, given.actions)
        simulator = phyre.Simulator(tasks, tier.name, device=given.device)
        simulator.sweep(actions[: len(actions) // 20], progress=lambda _: None)  # loads the kernels
        seconds, status = timed(lambda s=simulator, a=actions: s.sweep(a, progress=lambda _: None))
        total += seconds
        valid = status != INVALID
        note = f"{valid.sum() / seconds:,.0f} valid actions/s, {100 * valid.mean():.0f} % are valid"
        results.add(f"{tier.name}: {len(actions)} actions on {len(tasks)} tasks", f"{seconds:.1f} s", note=note)
    note = f"from {total:.1f} s for {len(middle)} of them"
    minutes = ALL_TASKS * total * 100_000 / given.actions / 60
    results.add("100,000 actions on all 5,000 tasks", f"{minutes:.1f} min", "30 min", "20 min", note)
    results.finish("phyre-speed")


if __name__ == "__main__":
    main()
