"""Makes and checks the tasks of Phy-Q's templates, and tells how many draws were turned down and why.

    python benchmarks/phyq_tasks.py --folder ~/phyq-tasks            all 75 templates, 100 tasks each
    python benchmarks/phyq_tasks.py --template 6.4 --tasks 20 --package /tmp

It may be stopped at any moment and started again: the folder keeps what is finished.
"""

import argparse
import time
from pathlib import Path

from table import Results

from tumble.phyq.generation import generate
from tumble.phyq.generation.checks import REASONS
from tumble.phyq.simulation import simulator
from tumble.phyq.tasks.catalogue import TASKS_PER_TEMPLATE


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--template", nargs="+", default=[], help="templates to make; all if none is named")
    parser.add_argument("--tasks", type=int, default=TASKS_PER_TEMPLATE, help="tasks for each template")
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--threads", type=int, default=0, help="CPU threads; 0 for all cores")
    parser.add_argument("--folder", type=Path, default=Path("phyq-tasks"), help="keeps what is finished")
    parser.add_argument("--package", type=Path, help="where the two files go; the package itself if not given")
    arguments = parser.parse_args()
    begin = time.time()
    made = generate.generate_tasks(
        arguments.template, arguments.tasks, arguments.device, arguments.threads, arguments.folder, arguments.package
    )
    results = Results(f"Phy-Q's tasks, {simulator.physics_id()}", "" if arguments.device == "cpu" else arguments.device)
    for own in made:
        reasons = ", ".join(f"{own.rejected[reason]} {reason}" for reason in REASONS)
        rate = 1.0 - len(own.solutions) / max(1, own.drawn)
        note = f"within {own.tolerance:g} degrees; {rate:.0%} of {own.drawn} draws turned down: {reasons}; "
        results.add(own.template, f"{len(own.solutions)}", str(arguments.tasks), note=note + f"{own.played} played")
    total = generate.summary(made)
    whole = sum(len(own.solutions) == arguments.tasks for own in made)
    results.add("templates with all their tasks", f"{whole} of {len(made)}", f"{len(made)}")
    results.add(
        "tasks", f"{total['tasks']}", note=f"{total['drawn']} draws, {total['played']} shots or sequences of shots"
    )
    results.add("minutes since this run began", f"{(time.time() - begin) / 60.0:.1f}")
    results.finish("phyq-tasks")


if __name__ == "__main__":
    main()
