"""Scenarios on a Ray cluster of two nodes on this machine, one of which is killed midway; run by tests as a program.

    python ray_cluster.py SCENARIO FOLDER RAY_FOLDER

A process of its own keeps Ray's threads, signal handlers and environment out of the tests. RAY_FOLDER must be a short
path, as the names of sockets are limited to about 100 characters.
"""

import json
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "disabled"}

import job_samples as samples
import ray
from ray.cluster_utils import Cluster

from tumble.jobs import ray as executor_module
from tumble.jobs.executors import make_executor
from tumble.jobs.job import Job

SMALL = {"num_cpus": 1, "object_store_memory": 80 << 20}
TIMEOUT = 240.0


class TwoNodes:
    """A cluster of two nodes with one core each; the executor "ray" connects to it."""

    def __init__(self, folder: Path) -> None:
        head = {**SMALL, "include_dashboard": False, "temp_dir": str(folder)}
        self.cluster = Cluster(initialize_head=True, head_node_args=head)
        self.node = self.cluster.add_node(**SMALL)
        os.environ["RAY_ADDRESS"] = self.cluster.address

    @contextmanager
    def killing_one_when(self, condition: Callable[[], bool]) -> Iterator[None]:
        """Kills the second node as soon as a condition holds; it must hold within the block."""
        killed = threading.Event()

        def watch() -> None:
            end = time.monotonic() + TIMEOUT
            while not condition() and time.monotonic() < end:
                time.sleep(0.01)
            self.kill_node()
            killed.set()

        thread = threading.Thread(target=watch, daemon=True)
        thread.start()
        yield
        assert killed.is_set(), "the work ended before a node was killed"
        thread.join()

    def kill_node(self) -> None:
        """Ends all processes of the second node at once, as when a machine is switched off."""
        raylet = self.node.all_processes["raylet"][0].process.pid
        workers = children(raylet)
        self.cluster.remove_node(self.node, allow_graceful=False)
        for worker in workers:
            with suppress(ProcessLookupError):
                os.kill(worker, signal.SIGKILL)


def children(parent: int) -> list[int]:
    """The processes that a process has started."""
    stats = {int(path.parent.name): path for path in Path("/proc").glob("[0-9]*/stat")}
    found = []
    for process, path in stats.items():
        with suppress(OSError):
            if int(path.read_text().rpartition(") ")[2].split()[1]) == parent:
                found.append(process)
    return found


def faulty_jobs(folder: Path) -> Any:
    """Jobs that fail, die, and find a lock."""
    folder.mkdir()
    listed = [
        Job("fails", samples.fail, (folder, "fails")),
        Job("dies", samples.die, (folder, "dies")),
        Job("locked", samples.lock_at_first, (folder, "locked")),
        Job("unpicklable", samples.return_a_lock),
        Job("nine", samples.square, (3,)),
    ]
    executor_module.POLL_SECONDS, executor_module.MAX_LOSSES = 0.3, 2
    return run_jobs(listed, folder)


def lost_jobs(cluster: TwoNodes, folder: Path) -> Any:
    """Two long jobs, one on each node."""
    listed = [Job(name, samples.sleep_at_first, (folder, name, 6.0)) for name in "ab"]
    with cluster.killing_one_when(lambda: len(list(folder.glob("[ab].0"))) == 2):
        return run_jobs(listed, folder)


def run_jobs(listed: list[Job], folder: Path) -> Any:
    """Outcomes, the number of starts of each job, and every progress."""
    progress: dict[str, list[tuple[int, int]]] = {job.name: [] for job in listed}
    run = make_executor("ray", 2).run(listed, lambda job, done, total: progress[job.name].append((done, total)))
    outcomes = {one.job.name: {**asdict(one), "job": None} for one in run}
    starts = {job.name: len(list(folder.glob(f"{job.name}.*"))) for job in listed}
    return {"outcomes": outcomes, "starts": starts, "progress": progress}


def small_sweep(cluster: TwoNodes, folder: Path) -> None:
    """A sweep of small shards, one in each job."""
    from tumble import phyre
    from tumble.phyre.simulation import sweep_files
    from tumble.phyre.simulation.sweep_files import fill_in_parallel

    tasks = [phyre.task(f"00002:{number:03d}") for number in range(24)]
    actions = phyre.actions.fixed_set(phyre.TIERS["B"], 100)
    swept = sweep_files.create_store(folder / "ray", tasks, "B", actions, tasks_per_shard=2)
    with cluster.killing_one_when(lambda: (folder / "ray" / "shard-00002.bin").exists()):
        fill_in_parallel(swept, tasks, make_executor("ray", 2), at_once=1)
    sweep_files.create_store(folder / "local", tasks, "B", actions, tasks_per_shard=2).fill(phyre.Simulator(tasks, "B"))


def quick(cluster: TwoNodes, folder: Path) -> Any:
    """A sweep with a killed node, then jobs on the other one."""
    ray.init(cluster.cluster.address, log_to_driver=False)  # once, so that worker processes are reused
    small_sweep(cluster, folder)
    result = faulty_jobs(folder / "jobs")
    ray.shutdown()
    return result


def commands(cluster: TwoNodes, condition: Callable[[], bool], name: str, *arguments: str) -> None:
    """Runs a command of Tumble twice: on the cluster, of which a node is killed, and with two local processes."""
    from tumble.benchmark import benchmark

    app, (first, *rest) = benchmark(name).commands(), arguments
    with cluster.killing_one_when(condition):
        app([first, *[text.format("ray") for text in rest], "--executor", "ray"], standalone_mode=False)
    app([first, *[text.format("local") for text in rest], "--workers", "2"], standalone_mode=False)


def sweep(cluster: TwoNodes, folder: Path) -> None:
    """More than one shard, and more than one job for each."""
    shard = folder / "ray" / "shard-00000.bin"
    arguments = ("sweep", f"{folder}/{{}}", "--tasks", "00002,00013", "--actions", "600")
    commands(cluster, shard.exists, "phyre", *arguments)


def evaluation(cluster: TwoNodes, folder: Path) -> None:
    """Four runs of two agents, one of which learns online."""

    def both_have_begun() -> bool:
        lines = [log.read_bytes().count(b"\n") for log in (folder / "ray").glob("*.jsonl")]
        return len(lines) >= 2 and min(lines) >= 30

    choices = ("--agent", "mem-o,rand", "--setting", "ball_within_template", "--fold", "0-1")
    commands(cluster, both_have_begun, "phyre", "evaluate", *choices, "--limit", "100", "--runs", f"{folder}/{{}}")


def generation(cluster: TwoNodes, folder: Path) -> None:
    """Eight sets with small videos."""
    parts = folder / "ray" / "parts"
    arguments = ("generate", "--out", f"{folder}/{{}}", "--sets", "8", "--size", "48x32")
    commands(cluster, lambda: any(parts.glob("*.sha256")), "comphy", *arguments)


def main() -> None:
    logging.basicConfig(format="%(message)s")
    scenario, folder, ray_folder = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    cluster = TwoNodes(ray_folder)
    try:
        result = globals()[scenario](cluster, folder)
    finally:
        cluster.cluster.shutdown()
    (folder / "result.json").write_text(json.dumps(result))


if __name__ == "__main__":
    main()
