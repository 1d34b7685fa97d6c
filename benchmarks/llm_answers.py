"""Malformed, hostile or empty answers of a language model: no crash, all counted, and read quickly.

    python benchmarks/llm_answers.py --count 10000 [--benchmark phyre]

Answers go through the dialogues of a benchmark's puzzles; by default through those of a tiny one that tests use too
(tests/llm/guess.py), so that all that is measured is how answers are read, sent back and counted. A seed and numbers
make the same answer again.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count, cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, get_args

from hostile_answers import hostile_answer
from table import Results

from tumble.comphy.generation.generate import generate
from tumble.inspect_tasks.solver import puzzle_set
from tumble.llm.dialogue import AnswerKind, Dialogue
from tumble.llm.puzzle import Puzzle, prompt_digest
from tumble.phyre.catalogue.task import TIERS
from tumble.progress import bar

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "llm"))

from guess import ATTEMPTS, GuessPuzzle

TASK = "odd:1"
TASKS = 100
"""Of a benchmark, which are posed in turn."""
SETS = 5
"""Of ComPhy."""


@contextmanager
def posed(name: str) -> Iterator[Iterator[Puzzle]]:
    """Puzzles of a benchmark, in turn and without an end."""
    if name == "guess":
        yield (GuessPuzzle(TASK, "text", ATTEMPTS) for _ in count())
        return
    with TemporaryDirectory() as folder:
        selections: list[dict[str, Any]] = [{"limit": TASKS}]
        if name == "phyre":
            selections = [{"tier": tier, "limit": TASKS} for tier in TIERS]
        if name == "comphy":
            generate(Path(folder) / "data", sets=SETS, seed=7, video=False, split="test")
            selections = [{"data": str(Path(folder) / "data")}]
        sets = [puzzle_set(name, selection) for selection in selections]
        yield (puzzles.puzzle(task_id) for puzzles, task_id in cycle([(one, own) for one in sets for own in one.ids]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--benchmark", default="guess", choices=("guess", "phyre", "phyq", "comphy"))
    options = parser.parse_args()

    answers = crashes = uncounted = 0
    slowest = total = 0.0
    kinds: Counter[str] = Counter()
    with posed(options.benchmark) as puzzles, bar("answers", options.count) as progress:
        while answers < options.count:
            dialogue, replies, kept = Dialogue(next(puzzles)), 0, answers
            while not dialogue.over and answers < options.count:
                text = hostile_answer(options.seed, answers)
                started = perf_counter()
                try:
                    dialogue.reply(text)
                except Exception as error:
                    crashes += 1
                    print(f"answer {options.seed},{answers}: {type(error).__name__}: {error}", file=sys.stderr)
                    break
                finally:
                    seconds = perf_counter() - started
                    slowest, total = max(slowest, seconds), total + seconds
                    answers += 1
                    replies += 1
            json.dumps([turn.json() for turn in dialogue.turns]).encode()
            prompt_digest(dialogue.messages)
            kinds.update(turn.kind for turn in dialogue.turns)
            asked = [message.text for message in dialogue.messages if message.role == "user"]
            sent_back = sum(text.startswith("This could not be read") for text in asked)
            uncounted += replies - len(dialogue.turns) - sent_back
            progress(answers - kept)

    results = Results(f"Answers of language models that no good model gives, {options.benchmark}")
    results.add("answers", f"{answers:,}", "10,000", note=f"seed {options.seed}")
    results.add("crashes", str(crashes), "0")
    results.add("answers that were not counted", str(uncounted), "0", note="as a turn, or as sent back once")
    for kind in get_args(AnswerKind):
        results.add(f"turns: {kind}", f"{kinds[kind]:,}")
    results.add("time per answer, mean", f"{total / answers * 1e3:.2f} ms")
    results.add("time per answer, slowest", f"{slowest * 1e3:.0f} ms", "1,000 ms")
    results.finish("llm-answers" if options.benchmark == "guess" else f"llm-answers-{options.benchmark}")


if __name__ == "__main__":
    main()
