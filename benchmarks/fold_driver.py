"""Runs jobs of benchmarks/fold_job.py as processes in parallel, and collects the brief logs of their finished runs."""

import os
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from fold_job import LEAST_SHARE, AgentRun, Job, Share, network_digest, to_json

from tumble import engine
from tumble.phyre.evaluation import brief_log
from tumble.phyre.evaluation.brief_log import BriefResult

WAIT_SECONDS = 1.0
LOG_LINES = 15
"""Of a failed job's output that are shown."""


def plan(common: Job, runs: Iterable[AgentRun], known: Iterable[BriefResult]) -> list[Job]:
    """Jobs for runs in one fold, one for each network that they need; without the runs whose results are known."""
    done = {one.key: one.settings for one in known if one.physics == engine.physics_id()}
    networks: dict[str, list[AgentRun]] = {}
    for run in runs:
        key = (common.setting, run.agent, run.variant, common.split, common.limit or 0, common.fold)
        if done.get(key) != run.settings:
            networks.setdefault(network_digest(run.settings), []).append(run)
    return [replace(common, runs=tuple(members)) for members in networks.values()]


@dataclass
class Collector:
    """Adds the brief logs of finished runs to those of a folder, as soon as they appear."""

    out: Path
    results: Path
    seen: dict[Path, float] = field(default_factory=dict)

    def collect(self, shown: bool = True) -> None:
        for path in sorted((self.out / "brief").glob("*.txt")):
            changed = path.stat().st_mtime
            if self.seen.get(path) != changed:
                self.seen[path] = changed
                added = brief_log.read(path)
                brief_log.merge(self.results, added)
                for one in added if shown else ():
                    print(f"{describe(one)}: AUCCESS {one.auccess:.1f}, {one.evaluation_seconds:.0f} s", flush=True)


def describe(result: BriefResult) -> str:
    """A run in words."""
    words = [result.agent, result.setting, f"fold {result.fold}", result.variant, result.split]
    return ", ".join(words + ([f"{result.limit} tasks"] if result.limit else []))


def run_jobs(jobs: Sequence[Job], out: Path, results: Path, minutes: float, parallel: int) -> int:
    """Runs jobs until all are finished or the minutes are over; returns how many failed."""
    for folder in ("jobs", "brief"):
        (out / folder).mkdir(parents=True, exist_ok=True)
    collector = Collector(out, results)
    collector.collect(shown=False)
    beside = max(1, min(parallel, len(jobs)))
    deadline = time.time() + 60.0 * minutes
    share = Share(minutes, deadline, max(1, (os.cpu_count() or 1) // beside), beside)
    waiting, running, failed = list(jobs), {}, 0
    while waiting or running:
        if waiting and minutes and deadline - time.time() < 60.0 * LEAST_SHARE * minutes:
            print(f"The time is nearly over; {len(waiting)} jobs were not begun.", flush=True)
            waiting = []
        while waiting and len(running) < parallel:
            job = waiting.pop(0)
            running[job.name] = _start(job, share, out)
        for name, process in list(running.items()):
            if process.poll() is not None:
                del running[name]
                failed += bool(process.returncode)
                log = (out / "jobs" / f"{name}.txt").read_text(encoding="utf-8", errors="replace").splitlines()
                lines = log[-LOG_LINES:] if process.returncode else log[-1:]
                print("\n".join([f"{name} {'failed' if process.returncode else 'ended'}:", *lines]), flush=True)
        collector.collect()
        time.sleep(WAIT_SECONDS if running else 0.0)
    return failed


def _start(job: Job, share: Share, out: Path) -> "subprocess.Popen[bytes]":
    path = out / "jobs" / f"{job.name}.json"
    path.write_text(to_json(job, share), encoding="utf-8")
    threads = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), str(share.threads))
    command = [sys.executable, str(Path(__file__).with_name("fold_job.py")), str(path)]
    with path.with_suffix(".txt").open("wb") as log:
        return subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, env={**os.environ, **threads})
