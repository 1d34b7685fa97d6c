"""How long ComPhy's models take to answer the questions about one set from its five videos, on all cores of a CPU.

    python benchmarks/comphy_seconds.py data --split test --sets 10

Each model answers alone, set by set, after one set that is not counted.
"""

import argparse
from pathlib import Path
from statistics import fmean, median
from time import perf_counter, process_time

import torch
from model_answers import SHIPPED, Source, Variant, make_agent
from table import Results

from tumble.comphy.evaluation.answer_key import read_key, tasks_with_videos
from tumble.jobs.executors import cores
from tumble.progress import bar

LIMITS = {"pcr": ("5 s", "2 s"), "see-and-simulate": ("15 s", "5 s")}
"""Must and goal, on two cores."""


def main() -> None:
    parser = argparse.ArgumentParser(description="seconds per set of ComPhy's models")
    parser.add_argument("data", type=Path, help="a dataset with videos")
    parser.add_argument("--split", default="test", help="train, validation or test")
    parser.add_argument("--sets", type=int, default=10, help="sets that are counted")
    options = parser.parse_args()
    source = Source(options.data, options.split, None, None, SHIPPED, "cpu", cores())
    questions = list(read_key(options.data, options.split).sets[: options.sets + 1])
    results = Results("ComPhy: seconds per set, from videos to answers")
    for model, (must, goal) in LIMITS.items():
        agent = make_agent(Variant(model), source)
        wall, busy = [], []
        with bar(f"Answering with {model}", len(questions)) as advance:
            for task in tasks_with_videos(options.data, questions, None, agent.uses_truth):
                start, busy_start = perf_counter(), process_time()
                agent.answer(task)
                wall.append(perf_counter() - start)
                busy.append(process_time() - busy_start)
                advance(1)
        note = f"median {median(wall[1:]):.1f} s, longest {max(wall[1:]):.1f} s; processor time {fmean(busy[1:]):.1f} s"
        results.add(model, f"{fmean(wall[1:]):.2f} s", must, goal, f"{note}; {torch.get_num_threads()} threads")
    results.finish("comphy-seconds")


if __name__ == "__main__":
    main()
