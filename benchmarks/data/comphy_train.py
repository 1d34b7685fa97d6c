"""Trains ComPhy's models on one GPU, several at a time, and scores them beside the published figures.

    tumble comphy generate --world div --sets 4000 --split train --no-video --seed 22 -o train   33 minutes, two cores
    tumble comphy pack train -o div-train.xz                                                      about 2 kB a set
    python benchmarks/data/comphy_train.py div-train.xz --device cuda --step all

Steps, each of which is a command of its own with --step where a machine is available for ten minutes at a time:

    first    perceiver, pcr, cpl, cpl-dpi, parser, cnn-lstm, cnn-lstm-ref, hcrn     --minutes (8) and a minute more
             in parallel
    second   mac, mac-ref, aloe, aloe-ref, which use the features of the perceiver  the same
    score    all of them on 1,000 new test sets of the world of the training sets  10 to 15 minutes with 16 cores;
             repeat the command if it is stopped, finished sets are kept
    all      the three, one after the other

Every training that was stopped resumes from its checkpoint. All checkpoints are in the folder --checkpoints, and the
weights alone, in half precision, in its folder `weights`.
"""

import argparse
import subprocess
import sys
import time
from pathlib import Path

from tumble.comphy.models.data.packed_sets import read_packed

STEPS = {
    "first": ("perceiver", "pcr", "cpl", "cpl-dpi", "parser", "cnn-lstm", "cnn-lstm-ref", "hcrn"),
    "second": ("mac", "mac-ref", "aloe", "aloe-ref"),
}
WITH_PERCEIVER = STEPS["second"]
SCORE = Path(__file__).resolve().parents[1] / "agents" / "comphy_models.py"


def main() -> None:
    parser = argparse.ArgumentParser(description="trains and scores ComPhy's models")
    parser.add_argument("data", type=Path, help="a file of packed training sets")
    parser.add_argument("--step", choices=(*STEPS, "score", "all"), default="all")
    parser.add_argument("--minutes", type=float, default=8.0, help="of each training")
    parser.add_argument("--steps", type=int, default=None, help="updates of each training instead of minutes")
    parser.add_argument("--models", default=None, help="only these, names with commas")
    parser.add_argument("--limit", type=int, default=None, help="training sets, the first ones")
    parser.add_argument("--checkpoints", type=Path, default=Path("checkpoints/div"))
    parser.add_argument("--sets", type=int, default=1000, help="test sets")
    parser.add_argument("--seed", type=int, default=23, help="of the test sets")
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    args = parser.parse_args()
    failed = False
    for name, models in STEPS.items():
        if args.step in (name, "all"):
            failed |= not train_together([one for one in models if wanted(one, args.models)], args)
    if args.step in ("score", "all"):
        world = read_packed(args.data).world.name
        command = [sys.executable, str(SCORE), "--world", world, "--sets", str(args.sets), "--seed", str(args.seed)]
        command += ["--checkpoints", str(args.checkpoints), "--device", args.device]
        command += ["--models", args.models] if args.models else []
        failed |= subprocess.run(command, check=False).returncode != 0
    raise SystemExit(int(failed))


def wanted(name: str, models: str | None) -> bool:
    """Whether a model was asked for."""
    return models is None or name in models.split(",")


def train_together(models: list[str], args: argparse.Namespace) -> bool:
    """Trains models in processes of their own; true if all succeeded. What they print goes to files."""
    (args.checkpoints / "weights").mkdir(parents=True, exist_ok=True)
    begin, running = time.monotonic(), {}
    for name in models:
        log = (args.checkpoints / f"{name}.txt").open("w")
        running[name] = subprocess.Popen(train_command(name, args), stdout=log, stderr=subprocess.STDOUT)
    codes = {name: process.wait() for name, process in running.items()}
    for name, code in codes.items():
        print(f"{name}: {'trained' if code == 0 else f'failed, see {args.checkpoints / name}.txt'}")
    print(f"{len(models)} trainings took {(time.monotonic() - begin) / 60.0:.1f} minutes")
    return not any(codes.values())


def train_command(name: str, args: argparse.Namespace) -> list[str]:
    """The command that trains a model."""
    command = [sys.executable, "-m", "tumble", "comphy", "train", name, "--data", str(args.data)]
    command += ["--device", args.device, "--out", str(args.checkpoints / f"{name}.pt")]
    command += ["--steps", str(args.steps)] if args.steps else ["--minutes", str(args.minutes)]
    command += ["--limit", str(args.limit)] if args.limit else []
    command += ["--export", str(args.checkpoints / "weights" / f"{name}.pt")]
    if name in WITH_PERCEIVER:
        command += ["--set", f"perceiver={args.checkpoints / 'perceiver.pt'}"]
    return command


if __name__ == "__main__":
    main()
