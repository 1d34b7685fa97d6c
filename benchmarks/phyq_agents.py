"""Agents on Phy-Q's test tasks beside the published pass rates, by scenario, and their Phy-Q scores.

    python benchmarks/phyq_agents.py [--setting local] [--limit 5] [--runs FOLDER] [--device cuda]

Random shots have 50 attempts at each task, the others five. With --limit only the first tasks of each template.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from table import Results

from tumble.jobs.executors import make
from tumble.jobs.job import Job, ProgressCallback
from tumble.phyq.evaluation import published_results as paper
from tumble.phyq.evaluation.evaluate import run
from tumble.phyq.evaluation.metrics import published_broad
from tumble.phyq.evaluation.result import Result, result_of
from tumble.phyq.evaluation.run_spec import Experiment
from tumble.phyq.report.groups import PUBLISHED
from tumble.phyq.simulation import simulator
from tumble.phyq.tasks.templates import SCENARIOS
from tumble.progress import bar

ATTEMPTS = {"random": 50}
USUAL_ATTEMPTS = 5
RANDOM_MARGIN = 5.0
"""Points by which the random agent's mean may differ from the published one."""
SHOOTER_MUST = {"until the first pass": (0.872917, 0.888333), "first attempt": (0.775, 0.875)}
"""Pig Shooter's published rates in scenarios 1 and 2, by how attempts count."""
LOCAL_MEANS = {"Bambirds": 0.1536, "Datalab": 0.1481, "Eagle's Wing": 0.1367, "Pig Shooter": 0.1051}


def evaluated(experiment: Experiment, folder: Path, threads: int, report: ProgressCallback) -> Result:
    """One run; its attempts stay in its log."""
    return result_of(run(experiment, folder, report, threads=threads))


def made(experiments: list[Experiment], folder: Path, device: str) -> dict[str, Result]:
    """Results by agent."""
    workers = None if device == "cpu" else 1
    jobs = [Job(one.agent, evaluated, (one, folder, 1 if workers is None else 0)) for one in experiments]
    found, finished = {}, {one.agent: 0 for one in experiments}
    with bar("Tasks", sum(len(one.task_ids()) for one in experiments)) as advance:

        def progress(job: Job, done: int, total: int) -> None:
            advance(done - finished[job.name])
            finished[job.name] = done

        for outcome in make(workers=workers).run(jobs, progress):
            if outcome.error:
                sys.exit(f"{outcome.job.name}: {outcome.error}\n{outcome.trace}")
            found[outcome.job.name] = outcome.value
    return found


def percent(rate: float) -> str:
    return f"{100.0 * rate:.1f}"


def add_broad(results: Results, agent: str, result: Result) -> None:
    name = PUBLISHED[agent]
    published, rates = published_broad(name), result.scenario_rates()
    mean = sum(published.values()) / len(published)
    must = f"{percent(mean)} +- {RANDOM_MARGIN:g}" if agent == "random" else ""
    attempts = f"{result.header['attempts']} attempts"
    results.add(f"{agent}, broad, mean of scenarios, %", percent(result.mean), must, "", f"published {percent(mean)}")
    score = f"{result.phy_q:.2f}" if result.phy_q is not None else "-"
    results.add(f"{agent}, Phy-Q", score, "", "", f"published {paper.PHY_Q[name]:.2f}; {attempts}")
    for number, rate in rates.items():
        figure = f"{agent}, {number} {SCENARIOS[number]}, %"
        results.add(figure, percent(rate), "", "", f"published {percent(published[number])}")
    if agent == "pig_shooter":
        for protocol, musts in SHOOTER_MUST.items():
            for number, must_rate in zip((1, 2), musts, strict=True):
                own = result.scenario_rates(protocol)[number]
                results.add(f"{agent}, scenario {number}, {protocol}, %", percent(own), f">= {percent(must_rate)}")


def add_local(results: Results, agent: str, result: Result) -> None:
    name = PUBLISHED[agent]
    known = f"published {percent(LOCAL_MEANS[name])}" if name in LOCAL_MEANS else ""
    results.add(f"{agent}, local, mean of templates, %", percent(result.mean), "", "", known)
    for key, rate in result.template_rates().items():
        note = ""
        if name in paper.LOCAL_AGENTS:
            note = f"published {percent(paper.LOCAL[key][paper.LOCAL_AGENTS.index(name)])}"
        results.add(f"{agent}, {key}, %", percent(rate), "", "", note)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--setting", choices=("broad", "local"), default="broad")
    parser.add_argument("--limit", type=int, help="only the first so many tasks of each template")
    parser.add_argument("--runs", type=Path, help="where to keep the run logs; by default they are not kept")
    parser.add_argument("--device", default="cpu")
    given = parser.parse_args()
    results = Results(f"Agents on Phy-Q, {given.setting}, {simulator.physics_id()}")
    experiments = [
        Experiment(
            agent,
            given.setting,
            limit=given.limit,
            attempts=ATTEMPTS.get(agent, USUAL_ATTEMPTS),
            device=given.device,
        )
        for agent in PUBLISHED
    ]
    with tempfile.TemporaryDirectory() as temporary:
        found = made(experiments, (given.runs or Path(temporary)).resolve(), given.device)
    for agent in PUBLISHED:
        (add_broad if given.setting == "broad" else add_local)(results, agent, found[agent])
    results.finish("phyq-agents" if given.setting == "broad" else "phyq-agents-local")


if __name__ == "__main__":
    main()
