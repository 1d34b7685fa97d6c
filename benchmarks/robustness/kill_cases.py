"""The commands that `kills.py` kills, and what of their results must be equal.

They are run by `python -c`, so that Tumble need not be installed: a folder of its source in PYTHONPATH is enough.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tumble.runs import log as run_log

COMMANDS = "from tumble.{0}.benchmark import {1}; {1}.commands()()"
SMALL_SHARDS = """
from tumble.phyre.simulation import sweep_files as parallel, sweep_files as store
store.STATUSES_PER_SHARD, parallel.STATUSES_PER_JOB = 50, 25
"""
TRAIN = """
import sys
from tumble import phyre
from tumble.phyre.agents.dqn import Dqn

tasks = [phyre.task(task_id) for task_id in ("00000:000", "00001:003")]
settings = dict(updates=16, tasks_per_batch=2, actions_per_task=8, trained_on=50, hidden=(32,), side=64, width=0.125)
quick = dict(log_every=1, save_every=0.0, device="cpu", ranked=10)
agent = Dqn(checkpoint=sys.argv[1] + "/dqn.pt", pooled=sys.argv[2] == "pooled", **settings, **quick)
agent.train(tasks, phyre.Simulator(tasks, "B", threads=1))
"""
EXTEND = """
import sys
from pathlib import Path
from tumble.comphy.dataset.folder import read_settings
from tumble.comphy.generation.generate import extend, generate

folder, few, many, workers = Path(sys.argv[1]), *map(int, sys.argv[2:])
if not (folder / "dataset.json").exists() or read_settings(folder).sets == few:
    generate(folder, few, seed=1, video=False, workers=workers)
extend(folder, many, workers=workers)
"""
TRAIN_COMPHY = """
import sys
from pathlib import Path
import torch
from tumble.comphy.generation.make_set import make_set
from tumble.comphy.models.data.packed_sets import pack_sets
from tumble.comphy.models.registry import make_training
from tumble.comphy.questions.ask import SPLIT_OPTIONS, ask_block
from tumble.comphy.questions.symbolic_scene import symbolic_scene
from tumble.learning import trainer

trainer.CHECKPOINT_SECONDS = 0.0
videos = [make_set(index) for index in range(2)]
scenes = {one.index: symbolic_scene(one) for one in videos}
sets = pack_sets(list(zip(videos, ask_block(scenes, 1, SPLIT_OPTIONS["train"]), strict=True)))
cpu = torch.device("cpu")
training = make_training(sys.argv[2], sets, cpu, settings={"random_texts": 200})
folder = Path(sys.argv[1])
trainer.train(training, folder / "network.pt", trainer.Budget(steps=12), cpu, page=folder / "losses.html")
"""
LEARNER = f"{Path(__file__).resolve().parent / 'angle_learner.py'}:AngleLearner"
UNEQUAL = {"created", "machine"}
"""Fields of a header that differ between equal runs."""
FOLDER = "{folder}"


@dataclass(frozen=True)
class Case:
    """A program with its arguments; FOLDER stands for the folder of its results."""

    name: str
    program: str
    arguments: tuple[str, ...]
    read: Callable[[Path], dict[str, Any]]
    """What of the results must be equal, by name."""


def logs(folder: Path) -> dict[str, Any]:
    """Header and rows of all run logs, which must be finished."""
    found, problems = run_log.logs_in([folder])
    assert not problems, problems
    assert all(log.finished for log in found)
    return {log.path.name: (log.header.model_dump(exclude=UNEQUAL), list(log.rows())) for log in found}


def visible_files(folder: Path) -> dict[str, Any]:
    """The bytes of all files, without the temporary ones that a kill leaves."""
    return {name: content for name, content in all_files(folder).items() if not Path(name).name.startswith(".")}


def all_files(folder: Path) -> dict[str, Any]:
    """The bytes of all files."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def weights(folder: Path) -> dict[str, Any]:
    """The weights, losses and settings of a checkpoint of finished training."""
    from tumble.phyre.models.training import load_checkpoint

    content = load_checkpoint(folder / "dqn.pt")
    tensors = {name: value.numpy().tobytes() for name, value in content["network"].items()}
    return {**tensors, **{name: content[name] for name in ("step", "losses", "settings", "data")}}


def network(folder: Path) -> dict[str, Any]:
    """The weights, losses and settings of a finished training of a ComPhy model."""
    from tumble.learning.trainer import load_network

    content = load_network(folder / "network.pt", "parser")
    assert content["finished"]
    tensors = {name: value.numpy().tobytes() for name, value in content["network"].items()}
    return {**tensors, **{name: content[name] for name in ("step", "curve", "config", "data", "budget")}}


def _evaluations() -> Iterator[Case]:
    phyre, phyq = COMMANDS.format("phyre", "PHYRE"), COMMANDS.format("phyq", "PHYQ")
    fold = ("evaluate", "--setting", "ball_within_template", "--runs", FOLDER)
    yield Case("phyre rand", phyre, (*fold, "--agent", "rand", "--limit", "10", "--attempts", "20"), logs)
    both = ("--agent", "rand,mem-o", "--limit", "25", "--attempts", "10", "--workers", "2")
    yield Case("phyre rand and mem-o, two workers", phyre, (*fold, *both), logs)
    yield Case("phyre mem-o", phyre, (*fold, "--agent", "mem-o", "--limit", "60", "--attempts", "10"), logs)
    named = ("evaluate", "--setting", "tasks", "--only", "1.1,2.1,3.1", "--limit", "4", "--runs", FOLDER)
    yield Case("phyq random", phyq, (*named, "--agent", "random", "--attempts", "3"), logs)
    yield Case("phyq learning online", phyq, (*named, "--agent", LEARNER, "--attempts", "3"), logs)


def _sweeps() -> Iterator[Case]:
    program = SMALL_SHARDS + COMMANDS.format("phyre", "PHYRE")
    ids = ",".join(f"00002:{number:03d}" for number in range(30))
    arguments = ("sweep", FOLDER, "--tasks", ids, "--actions", "25")
    yield Case("thirty tasks", program, arguments, visible_files)
    yield Case("thirty tasks, two workers", program, (*arguments, "--workers", "2"), visible_files)


def _generations() -> Iterator[Case]:
    program = COMMANDS.format("comphy", "COMPHY")
    small = ("generate", "--out", FOLDER, "--sets", "3")
    yield Case("without videos", program, (*small, "--no-video", "--workers", "1"), all_files)
    yield Case("videos", program, (*small, "--size", "32x32", "--workers", "1"), all_files)
    yield Case("videos, two workers", program, (*small, "--size", "32x32", "--workers", "2"), all_files)
    yield Case("three sets extended to eight, two workers", EXTEND, (FOLDER, "3", "8", "2"), all_files)


def _trainings() -> Iterator[Case]:
    yield Case("dqn", TRAIN, (FOLDER, "simulated"), weights)
    yield Case("dqn on the package's pool", TRAIN, (FOLDER, "pooled"), weights)
    yield Case("comphy parser", TRAIN_COMPHY, (FOLDER, "parser"), network)


CASES: dict[str, list[Case]] = {
    "evaluation": list(_evaluations()),
    "sweep": list(_sweeps()),
    "generation": list(_generations()),
    "training": list(_trainings()),
}
