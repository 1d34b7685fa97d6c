"""Runs jobs of benchmarks/fold_job.py as processes in parallel, and collects the brief logs of their finished runs."""

import os
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import frozen_settings
from fold_job import LEAST_SHARE, AgentRun, Job, Share, network_digest, to_json

from tumble import engine
from tumble.phyre.evaluation import brief_log
from tumble.phyre.evaluation.brief_log import BriefResult

WAIT_SECONDS = 1.0
LOG_LINES = 15
"""Of a failed job's output that are shown."""


def known_runs(folders: Iterable[Path]) -> list[BriefResult]:
    """The runs of folders of brief logs, those that were replaced first."""
    folders = list(dict.fromkeys(folders))
    earlier = [one for folder in folders for one in brief_log.read_earlier(folder)]
    return [*earlier, *(one for folder in folders for one in brief_log.read_folder(folder))]


def plan(common: Job, runs: Iterable[AgentRun], known: Iterable[BriefResult]) -> list[Job]:
    """Jobs for runs in one fold, one for each network that they need; without the runs whose results are known.

    On a test fold, a FrozenError unless the settings of all runs are frozen. `known` is what `known_runs` returns: it
    tells how often the fold was run before.
    """
    known = list(known)
    done = {one.key: one.settings for one in known if one.physics == engine.physics_id()}
    left = []
    for run in runs:
        key = (common.setting, run.agent, run.variant, common.split, common.limit or 0, common.fold)
        if done.get(key) != run.settings:
            left.append(run)
    if common.split == brief_log.TEST and left:
        common = replace(common, frozen=frozen_settings.commit_of(common.setting, left, common.frozen))
        left = counted(common, left, known)
    networks: dict[str, list[AgentRun]] = {}
    for run in left:
        networks.setdefault(network_digest(run.settings), []).append(run)
    return [replace(common, runs=tuple(members)) for members in networks.values()]


def counted(common: Job, runs: Iterable[AgentRun], known: Sequence[BriefResult]) -> list[AgentRun]:
    """Runs with the number of runs of their agent on the same test fold that come before them."""
    found: list[AgentRun] = []
    for run in runs:
        before = brief_log.count_earlier(known, common.setting, run.agent, common.fold)
        before += sum(one.agent == run.agent for one in found)
        found.append(replace(run, earlier_runs=before))
    return found


def separated(jobs: Sequence[Job]) -> tuple[list[Job], list[Job]]:
    """Jobs that only train, and a job for each of their runs: the first run of each, then the second of each, …"""
    most = max((len(job.runs) for job in jobs), default=0)
    single = [replace(job, runs=job.runs[k : k + 1]) for k in range(most) for job in jobs if k < len(job.runs)]
    return [replace(job, only_trains=True) for job in jobs], single


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


@dataclass
class Queue:
    """Jobs that wait, and those that run, of which there may be `parallel` at a time."""

    waiting: list[Job]
    parallel: int
    running: dict[str, tuple[Job, "subprocess.Popen[bytes]"]] = field(default_factory=dict)

    @property
    def networks(self) -> set[str]:
        """The networks of its jobs that have not ended."""
        return {job.network for job in self.waiting} | {job.network for job, _ in self.running.values()}

    def ended(self) -> list[tuple[Job, int]]:
        """Takes out the jobs that have ended, with their exit codes."""
        codes = [(job, process.poll()) for job, process in self.running.values()]
        found = [(job, code) for job, code in codes if code is not None]
        for job, _ in found:
            del self.running[job.name]
        return found


def run_jobs(
    jobs: Sequence[Job],
    out: Path,
    results: Path,
    minutes: float,
    parallel: int,
    followers: Sequence[Job] = (),
    parallel_followers: int = 1,
) -> int:
    """Runs jobs until all are finished or the minutes are over; returns how many failed.

    `followers` use networks that `jobs` train: each begins when no job of its network is left, in parallel
    with other jobs. If that one failed it does not begin.
    """
    for folder in ("jobs", "brief"):
        (out / folder).mkdir(parents=True, exist_ok=True)
    collector = Collector(out, results)
    collector.collect(shown=False)
    first, second = Queue(list(jobs), parallel), Queue(list(followers), parallel_followers)
    beside = max(1, min(parallel, len(jobs)) + min(parallel_followers, len(followers)))
    deadline = time.time() + 60.0 * minutes
    share = Share(minutes, deadline, max(1, (os.cpu_count() or 1) // beside), beside)
    failed = 0
    while any(queue.waiting or queue.running for queue in (first, second)):
        if minutes and deadline - time.time() < 60.0 * LEAST_SHARE * minutes and (first.waiting or second.waiting):
            left = len(first.waiting) + len(second.waiting)
            print(f"The time is nearly over; {left} jobs were not begun.", flush=True)
            first.waiting, second.waiting = [], []
        for queue, unfinished in ((first, set[str]()), (second, first.networks)):
            for job in [one for one in queue.waiting if one.network not in unfinished]:
                if len(queue.running) < queue.parallel:
                    queue.waiting.remove(job)
                    queue.running[job.name] = job, _start(job, share, out, in_front=queue is second)
            for job, code in queue.ended():
                failed += bool(code)
                _show_end(job, code, out)
                if code:
                    second.waiting = [one for one in second.waiting if one.network != job.network]
        collector.collect()
        time.sleep(WAIT_SECONDS if first.running or second.running else 0.0)
    return failed


def _show_end(job: Job, code: int, out: Path) -> None:
    log = (out / "jobs" / f"{job.name}.txt").read_text(encoding="utf-8", errors="replace").splitlines()
    lines = log[-LOG_LINES:] if code else log[-1:]
    print("\n".join([f"{job.name} {'failed' if code else 'ended'}:", *lines]), flush=True)


def _start(job: Job, share: Share, out: Path, in_front: bool) -> "subprocess.Popen[bytes]":
    """Starts a job; its small kernels go in front of those of trainings if processes share a GPU by MPS."""
    path = out / "jobs" / f"{job.name}.json"
    path.write_text(to_json(job, share), encoding="utf-8")
    threads = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), str(share.threads))
    variables = {**os.environ, **threads, "CUDA_MPS_CLIENT_PRIORITY": "0" if in_front else "1"}
    command = [sys.executable, str(Path(__file__).with_name("fold_job.py")), str(path)]
    with path.with_suffix(".txt").open("wb") as log:
        return subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, env=variables)
