"""Generates Phy-Q's tasks, and reports how many draws were rejected and why.

    python benchmarks/data/phyq_tasks.py --folder ~/phyq-tasks            all 75 templates, 100 tasks each
    python benchmarks/data/phyq_tasks.py --template 6.4 --tasks 20 --package /tmp

It can be stopped at any time and resumes from the finished blocks of tasks in the folder.
"""

import argparse
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

from table import Results

from tumble.phyq.catalogue.tasks import TASKS_PER_TEMPLATE
from tumble.phyq.generation import generate
from tumble.phyq.generation.checks import REASONS
from tumble.phyq.simulation import simulator


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--template", nargs="+", default=[], help="templates to generate; by default all")
    parser.add_argument("--tasks", type=int, default=TASKS_PER_TEMPLATE, help="tasks for each template")
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--workers", type=int, help="processes; by default one for each core")
    parser.add_argument("--folder", type=Path, default=Path("phyq-tasks"), help="finished blocks of tasks")
    parser.add_argument("--package", type=Path, help="folder for the two data files; by default that of the package")
    arguments = parser.parse_args()
    begin = time.time()
    generated = generate.generate_tasks(
        arguments.template, arguments.tasks, arguments.device, arguments.workers, arguments.folder, arguments.package
    )
    results = Results(f"Phy-Q's tasks, {simulator.physics_id()}", "" if arguments.device == "cpu" else arguments.device)
    for result in generated:
        reasons = ", ".join(f"{result.rejected[reason]} {reason}" for reason in REASONS)
        rate = 1.0 - len(result.solutions) / max(1, result.drawn)
        note = f"within {result.tolerance:g} degrees; {rate:.0%} of {result.drawn} draws rejected: {reasons}; "
        results.add(
            result.template, f"{len(result.solutions)}", str(arguments.tasks), note=note + f"{result.played} played"
        )
    total = generate.summary(generated)
    whole = sum(len(result.solutions) == arguments.tasks for result in generated)
    results.add("templates with all their tasks", f"{whole} of {len(generated)}", f"{len(generated)}")
    results.add("tasks", f"{total['tasks']}", note=f"{total['drawn']} draws, {total['played']} sequences of shots")
    results.add("minutes of this run", f"{(time.time() - begin) / 60.0:.1f}")
    results.finish("phyq-tasks")


if __name__ == "__main__":
    main()
