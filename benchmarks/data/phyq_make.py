"""How many checked Phy-Q tasks are made per minute: `phyq.make_tasks` for each template.

    python benchmarks/data/phyq_make.py                              all 75 templates, 40 tasks each
    python benchmarks/data/phyq_make.py --template 3.1 --count 100
    python benchmarks/data/phyq_make.py --device cuda                on a GPU

The time includes the pilot of a template, which finds its tolerance once, and the start of the worker processes.
"""

import argparse
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
import warp as wp
from table import Results

from tumble.phyq.catalogue.templates import template, templates
from tumble.phyq.generation.blocks import MakeError
from tumble.phyq.generation.generate import make_tasks
from tumble.phyq.simulation.simulator import physics_id

MUST = 20
"""Tasks per minute on two cores, median over the templates."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--template", nargs="+", default=[], help="templates; by default all")
    parser.add_argument("--count", type=int, default=40, help="tasks of each template")
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--workers", type=int, help="processes; by default one for each core")
    arguments = parser.parse_args()
    chosen = [template(key).id for key in arguments.template] or list(templates())
    make_tasks("1.4", 1, device=arguments.device, workers=1)  # compiles the kernels
    device = "" if arguments.device == "cpu" else str(wp.get_device(arguments.device).name)
    results = Results(f"Phy-Q: checked tasks made per minute, {physics_id()}", device)
    rates = []
    for key in chosen:
        begin = time.perf_counter()
        try:
            with TemporaryDirectory() as folder:
                made = make_tasks(key, arguments.count, 100, Path(folder), arguments.device, arguments.workers)
            seconds, note = time.perf_counter() - begin, f"within {made[0].solution.tolerance:g} degrees"
            rates.append(60.0 * len(made) / seconds)
        except MakeError as error:
            rates.append(0.0)
            seconds, note = time.perf_counter() - begin, str(error)
        results.add(key, f"{rates[-1]:.0f}", note=f"{seconds:.1f} s; {note}")
    results.add("median over templates", f"{np.median(rates):.0f}", f"{MUST}", note=f"{arguments.count} tasks each")
    results.finish("phyq-make" if arguments.device == "cpu" else "phyq-make-gpu")


if __name__ == "__main__":
    main()
