"""What models read: tokens of openings, of the feedback of an attempt, and of all requests of a task, in each mode.

    python benchmarks/llm_tokens.py [--benchmark phyre] [--mode text] [--tasks 50] [--limit 100]

Tokens of text are characters / 3.5, those of pictures width x height / 750. Attempts are random ones that fail. In text
mode openings and first attempts are those of all tasks (5,000 of PHYRE, Phy-Q's 680 test levels, all questions about
--sets sets of ComPhy); with pictures, and for all requests of a task, --tasks of them are taken, in turns over
templates (questions about --picture-sets sets of ComPhy).
"""

import argparse
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from statistics import median
from typing import Any

import phyre_script
from PIL import Image
from scripted_model import Request, Script
from table import Results

from tumble.comphy.generation.generate import generate
from tumble.draws import Draws
from tumble.inspect_tasks.solver import puzzle_set
from tumble.llm.dialogue import Dialogue
from tumble.llm.puzzle import MODES, Message, Picture, PuzzleSet
from tumble.phyre.catalogue.task import TIERS
from tumble.phyre.catalogue.tasks_by_id import task_ids, template_of
from tumble.progress import bar
from tumble.runs.spec import spread_over_groups

CHARACTERS_PER_TOKEN = 3.5
PIXELS_PER_TOKEN = 750
MOST_TOKENS = 600
"""Of an attempt at a task of PHYRE in text mode, in the median."""
SEEDS = 100
"""Of random shots, of which the first that fail are taken."""
BENCHMARKS = ("phyre", "phyq", "comphy")


@dataclass(frozen=True)
class Cost:
    """Tokens of a dialogue."""

    opening: float
    feedback: float
    """What is told after the answers of the first attempt."""
    attempt: float
    """The opening, and answers and feedback of the first attempt."""
    requests: float
    """Of all requests, each with the whole history."""


def tokens(messages: Sequence[Message]) -> float:
    """The tokens of messages: of their texts, with captions, and of their pictures."""
    total = 0.0
    for message in messages:
        total += len(message.text) / CHARACTERS_PER_TOKEN
        for part in message.parts:
            if isinstance(part, Picture):
                width, height = Image.open(BytesIO(part.png)).size
                total += width * height / PIXELS_PER_TOKEN
    return total


def cost(dialogue: Dialogue, script: Script, attempts: int) -> Cost | None:
    """The tokens of a dialogue with attempts, 0 for the opening only; None if one of them solves, or is refused."""
    opening = len(dialogue.messages)
    first = requests = 0
    made = 0
    while made < attempts:
        requests += tokens(dialogue.messages)
        turns = [turn.json() for turn in dialogue.turns]
        dialogue.reply(script(Request(dialogue.puzzle.id, (len(dialogue.messages) - opening) // 2, turns)))
        made = sum(turn.counts for turn in dialogue.turns)
        if any(turn.solved for turn in dialogue.turns) or (dialogue.over and made < attempts):
            return None
        if made and not first:
            first = len(dialogue.messages)
    told = [message for message in dialogue.messages[opening : first or opening] if message.role == "user"]
    start = tokens(dialogue.messages[:opening])
    return Cost(start, tokens(told), tokens(dialogue.messages[: first or opening]), requests or start)


def random_shots(seed: int) -> Script:
    """Random shots at full power without taps."""

    def reply(request: Request) -> str:
        angle = Draws(f"{seed}/{request.task}/{request.replies}").between(0.0, 80.0)
        return f'{{"angle": {angle:.1f}, "power": 1, "tap": null}}'

    return reply


def costs(puzzles: PuzzleSet, benchmark: str, attempts: int, label: str) -> Iterator[Cost]:
    """The costs of all puzzles with attempts that fail."""
    if benchmark == "phyre":
        scripts = [phyre_script.failing_actions(puzzles.ids, attempts)]
    else:
        scripts = [random_shots(seed) for seed in range(SEEDS)]
    with bar(label, len(puzzles.ids)) as advance:
        for task_id in puzzles.ids:
            found = (cost(Dialogue(puzzles.puzzle(task_id)), script, attempts) for script in scripts)
            yield next(one for one in found if one is not None)
            advance(1)


def groups(benchmark: str, limit: int | None, data: Mapping[str, str]) -> Iterator[tuple[str, dict[str, Any], int]]:
    """Names of groups of puzzles, their selections in text mode, and the attempts at a task."""
    if benchmark == "phyre":
        for tier in TIERS:
            yield f"PHYRE-{tier}", {"ids": spread_over_groups(task_ids(tier), limit, template_of)}, 10
    elif benchmark == "phyq":
        yield "Phy-Q", {} if limit is None else {"limit": limit}, 5
    else:
        yield "ComPhy", {**data, **({} if limit is None else {"limit": limit})}, 0


def measure(results: Results, benchmark: str, options: argparse.Namespace, data: Mapping[str, str]) -> list[Cost]:
    """Rows for all modes; returns the costs of first attempts in text mode."""
    in_text: list[Cost] = []
    for label, selection, attempts in groups(benchmark, options.limit, data):
        part = {"sets": options.picture_sets} if benchmark == "comphy" else {"limit": options.tasks}
        for mode in options.mode or MODES:
            few = puzzle_set(benchmark, {**selection, **part, "mode": mode})
            whole = list(costs(few, benchmark, attempts, f"{label}, {mode}, all attempts"))
            first = whole
            if mode == "text":
                every = puzzle_set(benchmark, {**selection, "mode": mode})
                first = list(costs(every, benchmark, min(1, attempts), f"{label}, {mode}"))
                in_text += first
            figures = {"opening": [one.opening for one in first]}
            if attempts:
                figures["feedback of the first attempt"] = [one.feedback for one in first]
                figures["first attempt, with opening and answers"] = [one.attempt for one in first]
                figures[f"requests of a task, {attempts} attempts"] = [one.requests for one in whole]
            for name, values in figures.items():
                note = f"median of {len(values):,}; {min(values):,.0f} to {max(values):,.0f}"
                results.add(f"{label}, {mode}: {name}", f"{median(values):,.0f}", note=note)
    return in_text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--benchmark", action="append", choices=BENCHMARKS)
    parser.add_argument("--mode", action="append", choices=MODES)
    parser.add_argument("--tasks", type=int, default=50, help="of each tier and mode, where not all are taken")
    parser.add_argument("--limit", type=int, help="tasks or questions where else all are taken")
    parser.add_argument("--sets", type=int, default=50)
    parser.add_argument("--picture-sets", type=int, default=10)
    parser.add_argument("--name", default="llm-tokens", help="of the files of results, before the benchmark's")
    options = parser.parse_args()
    for benchmark in options.benchmark or BENCHMARKS:
        results = Results(f"Tokens of prompts, {benchmark}")
        with tempfile.TemporaryDirectory(prefix="llm-tokens-") as folder:
            data = {}
            if benchmark == "comphy":
                data["data"] = str(Path(folder) / "data")
                generate(Path(data["data"]), sets=options.sets, seed=7, video=False, split="test")
            in_text = measure(results, benchmark, options, data)
        if benchmark == "phyre" and in_text:
            values = [one.attempt for one in in_text]
            results.add(
                "PHYRE, both tiers, text: tokens of an attempt",
                f"{median(values):.0f}",
                f"under {MOST_TOKENS}",
                note=f"median of {len(values):,} tasks, at most {max(values):.0f}: opening, answer and feedback",
            )
        results.finish(f"{options.name}-{benchmark}")


if __name__ == "__main__":
    main()
