"""The agents of docs/guides/tutorial.md on the test tasks of PHYRE-B across templates, beside RAND and MEM.

python benchmarks/tutorial.py [--runs FOLDER]   # finished runs in the folder are not repeated
"""

import argparse
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from table import Results

from tumble import engine
from tumble.engine.host.machine import usable_cores
from tumble.phyre.benchmark import PHYRE

FILE = Path(__file__).resolve().parent.parent / "docs" / "examples" / "push_agent.py"
ON_FOLD_0 = ("rand", "mem", *(f"{FILE}:{name}" for name in ("Column", "FarSide", "Relative", "Varied")))
ON_OTHER_FOLDS = ("rand", "mem", f"{FILE}:Varied")
OTHER_FOLDS = (1, 2)


def scores(agent: str, fold: int, runs: str) -> tuple[float, float, float]:
    """AUCCESS and the shares of tasks solved within 10 and 100 attempts, in percent."""
    result = PHYRE.result(PHYRE.run(PHYRE.spec(agent, "ball_cross_template", fold), runs, threads=1))
    return result.auccess, result.success(10), result.success(100)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", default="")
    given = parser.parse_args().runs
    results = Results(f"The tutorial's agents, ball_cross_template, {engine.physics_id()}")
    with TemporaryDirectory() as temporary, ProcessPoolExecutor(usable_cores()) as pool:
        jobs = [(agent, 0) for agent in ON_FOLD_0]
        jobs += [(agent, fold) for fold in OTHER_FOLDS for agent in ON_OTHER_FOLDS]
        made = [pool.submit(scores, agent, fold, given or temporary) for agent, fold in jobs]
        for (agent, fold), job in zip(jobs, made, strict=True):
            auccess, ten, hundred = job.result()
            note = f"solved within 10 attempts {ten:.1f} %, within 100 {hundred:.1f} %"
            results.add(f"{agent.rpartition(':')[2]}, fold {fold}, AUCCESS", f"{auccess:.1f}", note=note)
    results.finish("tutorial")


if __name__ == "__main__":
    main()
