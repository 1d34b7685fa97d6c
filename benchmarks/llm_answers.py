"""Malformed, hostile or empty answers of a language model: no crash, all counted, and read quickly.

    python benchmarks/llm_answers.py --count 10000

Answers go through the dialogue of a tiny puzzle that tests use too (tests/llm/guess.py), so that all that is measured
is how answers are read, sent back and counted. A seed and numbers make the same answer again.
"""

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from time import perf_counter
from typing import get_args

from hostile_answers import hostile_answer
from table import Results

from tumble.llm.dialogue import AnswerKind, Dialogue
from tumble.llm.prompt import digest
from tumble.progress import bar

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "llm"))

from guess import ATTEMPTS, GuessPuzzle

TASK = "odd:1"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()

    answers = crashes = uncounted = 0
    slowest = total = 0.0
    kinds: Counter[str] = Counter()
    with bar("answers", options.count) as progress:
        while answers < options.count:
            dialogue, replies, kept = Dialogue(GuessPuzzle(TASK, "text", ATTEMPTS)), 0, answers
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
            digest(dialogue.messages)
            kinds.update(turn.kind for turn in dialogue.turns)
            asked = [message.text for message in dialogue.messages if message.role == "user"]
            sent_back = sum(text.startswith("This could not be read") for text in asked)
            uncounted += replies - len(dialogue.turns) - sent_back
            progress(answers - kept)

    results = Results("Answers of language models that no good model gives")
    results.add("answers", f"{answers:,}", "10,000", note=f"seed {options.seed}")
    results.add("crashes", str(crashes), "0")
    results.add("answers that were not counted", str(uncounted), "0", note="as a turn, or as sent back once")
    for kind in get_args(AnswerKind):
        results.add(f"turns: {kind}", f"{kinds[kind]:,}")
    results.add("time per answer, mean", f"{total / answers * 1e3:.2f} ms")
    results.add("time per answer, slowest", f"{slowest * 1e3:.0f} ms", "1,000 ms")
    results.finish("llm-answers")


if __name__ == "__main__":
    main()
