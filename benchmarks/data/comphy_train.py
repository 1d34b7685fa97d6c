"""Trains the models of ComPhy that come with the package, on one GPU, several at a time.

    tumble comphy generate --world div --sets 4000 --split train --no-video --seed 22 -o train   33 minutes, two cores
    tumble comphy pack train -o div-train.xz                                                      about 2 kB a set
    python benchmarks/data/comphy_train.py --data div-train.xz --device cuda [--minutes 8] [--models pcr parser]

Every training that was stopped resumes from its checkpoint. All checkpoints are in the folder --checkpoints, and the
weights alone, in half precision, in its folder `weights`. `comphy_models.py` says how good the models are.
"""

import subprocess
import sys
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1]))

from table import arguments

MODELS = ("perceiver", "pcr", "cpl", "cpl-dpi", "parser")


def command(name: str, given: Any) -> list[str]:
    """The command that trains a model."""
    words = [sys.executable, "-m", "tumble", "comphy", "train", name, "--data", str(given.data)]
    words += ["--device", given.device, "--out", str(given.checkpoints / f"{name}.pt")]
    words += ["--steps", str(given.steps)] if given.steps else ["--minutes", str(given.minutes)]
    words += ["--limit", str(given.limit)] if given.limit else []
    return [*words, "--export", str(given.checkpoints / "weights" / f"{name}.pt")]


def main() -> None:
    given = arguments(
        __doc__,
        data=Path("train.xz"),
        models=MODELS,
        minutes=8.0,
        steps=int,
        limit=int,
        device="cpu",
        checkpoints=Path("checkpoints"),
    )
    (given.checkpoints / "weights").mkdir(parents=True, exist_ok=True)
    running = {}
    for name in given.models:
        with (given.checkpoints / f"{name}.txt").open("w") as log:
            running[name] = subprocess.Popen(command(name, given), stdout=log, stderr=subprocess.STDOUT)
    codes = {name: process.wait() for name, process in running.items()}
    for name, code in codes.items():
        print(f"{name}: {'trained' if code == 0 else f'failed, see {given.checkpoints / name}.txt'}")
    raise SystemExit(int(any(codes.values())))


if __name__ == "__main__":
    main()
