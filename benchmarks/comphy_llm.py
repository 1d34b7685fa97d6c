"""ComPhy's prompts for language models: sizes, and the scores of scripted answers that are true, random and malformed.

    tumble comphy generate --sets 60 --seed 7 --split test --no-video -o data
    python benchmarks/comphy_llm.py data --split test --pictures 20

Every answer goes through a `Dialogue`, as a model's would. Random answers are those of the agent `random`; their scores
are compared with the chance of each question.
"""

import argparse
import json
from collections import Counter
from collections.abc import Callable, Mapping
from io import BytesIO
from math import sqrt
from pathlib import Path
from random import Random
from statistics import fmean, median
from time import perf_counter
from typing import Any

from PIL import Image
from table import Results

from tumble.comphy.agents.answer_space import answer_space
from tumble.comphy.agents.random_answers import Random as RandomAgent
from tumble.comphy.evaluation.answer_key import cached_key
from tumble.comphy.llm.answers import LETTERS, answer_schema
from tumble.comphy.llm.puzzle_set import ComphyPuzzles, puzzles, shown_parts
from tumble.comphy.questions.answers import Answer
from tumble.comphy.tasks.question import CORRECT, Question
from tumble.comphy.tasks.task import Task
from tumble.llm.dialogue import Dialogue
from tumble.llm.prompt import Picture, digest
from tumble.progress import bar

CHARACTERS_PER_TOKEN = 3.5
MODES = ("text", "picture", "both")
Questions = Mapping[str, Question]
Replies = Callable[[str, int], str]
"""The reply to a question, by its id and the number of replies before."""


def main() -> None:
    parser = argparse.ArgumentParser(description="prompts and scripted answers of ComPhy")
    parser.add_argument("data", type=Path, help="a dataset; its frames are rendered if it has no videos")
    parser.add_argument("--split", default="test", help="train, validation or test")
    parser.add_argument("--pictures", type=int, default=20, help="sets whose prompts are made with pictures")
    parser.add_argument("--seeds", type=int, default=20, help="runs with random answers")
    parser.add_argument("--malformed", type=int, default=10_000, help="malformed answers")
    options = parser.parse_args()
    results = Results("ComPhy for language models")
    selection = {"data": str(options.data), "split": options.split}
    few = {**selection, "sets": options.pictures}
    posed = puzzles(selection)
    asked = questions_of(posed)
    measure_prompts(
        results, {mode: puzzles({**(selection if mode == "text" else few), "mode": mode}) for mode in MODES}
    )
    for mode in MODES:
        own = puzzles({**few, "mode": mode})
        scores, _ = reply_to_all(own, lambda task_id, _: as_json(asked[task_id], true_answer(asked[task_id])))
        names = "; ".join(f"{name} {value:.1f}" for name, value in scores.items())
        worst = min(value for name, value in scores.items() if name not in ("unanswered", "errors"))
        results.add(f"true answers, {mode}: lowest accuracy", f"{worst:.1f} %", "100 %", "", names)
    measure_random(results, posed, asked, options.seeds)
    measure_malformed(results, posed, asked, options.malformed)
    results.finish("comphy-llm")


def questions_of(posed: ComphyPuzzles) -> dict[str, Question]:
    """The questions by the ids of their puzzles, with their answers."""
    key = cached_key(posed.settings.data, posed.settings.split)
    by_id = {f"{of_set.index:05d}/{one.id}": one for of_set in key.sets for one in of_set.questions}
    return {task_id: by_id[task_id] for task_id in posed.ids}


def measure_prompts(results: Results, by_mode: Mapping[str, ComphyPuzzles]) -> None:
    """Tokens and pictures of prompts, the time to make them, and whether they are the same twice."""
    for mode, posed in by_mode.items():
        digests, seconds, lengths, pictures = [], [], [], []
        for again in (False, True):
            shown_parts.cache_clear()
            with bar(f"Prompts, {mode}", len(posed.ids)) as advance:
                for k, task_id in enumerate(posed.ids):
                    start = perf_counter()
                    messages = posed.puzzle(task_id).opening()
                    advance(1)
                    if again:
                        assert digests[k] == digest(messages), task_id
                        continue
                    seconds.append(perf_counter() - start)
                    digests.append(digest(messages))
                    lengths.append(sum(len(message.text) for message in messages) / CHARACTERS_PER_TOKEN)
                    pictures.append([part for one in messages for part in one.parts if isinstance(part, Picture)])
        sets = len({task_id.partition("/")[0] for task_id in posed.ids})
        note = f"longest {max(lengths):.0f}; {len(posed.ids)} questions about {sets} sets; same bytes twice"
        results.add(f"tokens of text, {mode}, median", f"{median(lengths):.0f}", note=note)
        results.add(f"seconds a set, {mode}", f"{sum(seconds) / sets:.2f} s")
        if pictures[0]:
            sizes = sorted({Image.open(BytesIO(one.png)).size for own in pictures for one in own})
            counts = sorted({len(own) for own in pictures})
            kilobytes = median(sum(len(one.png) for one in own) / 1000 for own in pictures)
            note = f"{counts} pictures a prompt of {', '.join(f'{width} x {height}' for width, height in sizes)} pixels"
            results.add(f"kB of pictures, {mode}, median", f"{kilobytes:.0f} kB", note=note)


def measure_random(results: Results, posed: ComphyPuzzles, asked: Questions, seeds: int) -> None:
    """Scores of random answers, and the chances of the same questions."""
    runs = []
    with bar("Random answers", seeds) as advance:
        for seed in range(seeds):
            answers = random_answers(posed, seed)
            runs.append(reply_to_all(posed, lambda task_id, _, own=answers: own[task_id])[0])
            advance(1)
    for name, chance in chances(asked.values()).items():
        values = [run[name] for run in runs]
        mean = fmean(values)
        error = sqrt(sum((value - mean) ** 2 for value in values) / (seeds - 1) / seeds)
        note = f"standard error {error:.1f}, {seeds} runs on {len(asked)} questions"
        results.add(f"random answers, {name}", f"{mean:.1f} %", f"{chance:.1f} %", "", note)


def chances(asked: Any) -> dict[str, float]:
    """The expected scores of random answers in per cent."""
    found: dict[str, list[float]] = {}
    for question in asked:
        if question.choices:
            found.setdefault(f"{question.kind}_per_option", []).append(0.5)
            found.setdefault(f"{question.kind}_per_question", []).append(0.5 ** len(question.choices))
        else:
            found.setdefault("factual", []).append(1 / len(answer_space(question)))
    return {name: 100.0 * fmean(values) for name, values in found.items()}


def random_answers(posed: ComphyPuzzles, seed: int) -> dict[str, str]:
    """The replies of the agent `random`."""
    agent, texts = RandomAgent(seed), {}
    for of_set in cached_key(posed.settings.data, posed.settings.split).sets:
        answers = agent.answer(Task(of_set))
        texts.update({f"{of_set.index:05d}/{one.id}": as_json(one, answers[one.id]) for one in of_set.questions})
    return texts


def measure_malformed(results: Results, posed: ComphyPuzzles, asked: Questions, count: int) -> None:
    """How answers are counted that are broken, of another form or empty."""
    rng, kinds, statuses, longest = Random(1), Counter(), Counter(), 0.0
    ids = list(posed.ids)
    with bar("Malformed answers", count) as advance:
        for k in range(count):
            task_id = ids[k * len(ids) // count]
            dialogue = Dialogue(posed.puzzle(task_id))
            while not dialogue.over:
                text = malformed(asked[task_id], rng)
                start = perf_counter()
                dialogue.reply(text)
                longest = max(longest, perf_counter() - start)
            (turn,) = dialogue.turns
            kinds[turn.kind] += 1
            statuses["unanswered" if turn.record["status"] == 0 else turn.status] += 1
            advance(1)
    note = ", ".join(f"{name} {number}" for name, number in (*sorted(kinds.items()), *sorted(statuses.items())))
    results.add("malformed answers that were counted", f"{kinds.total():,} of {count:,}", "all", "", note)
    results.add("longest time to read one", f"{1000 * longest:.0f} ms")


def malformed(question: Question, rng: Random) -> str:
    """A text that is mostly no answer."""
    good = as_json(question, true_answer(question))
    name = next(iter(answer_schema(question)["properties"]))
    strange: list[Any] = [None, -1, 7, 1e308, 0.5, "", " ", "A" * rng.randrange(5000), [], {}, [[]], {"A": {}}, True]
    strange += [["A", None], {"B": "perhaps"}, ["Z"], [1, 2], "\ud800", "\x00", "red and", ",,,", {"": ""}]
    forms: list[Callable[[], str]] = [
        lambda: "",
        lambda: "I'm sorry, but I cannot help with that.",
        lambda: good[: rng.randrange(len(good))],
        lambda: "".join(rng.choice(good + '{}[]",:\n\\') for _ in range(rng.randrange(200))),
        lambda: json.dumps({name: rng.choice(strange)}),
        lambda: json.dumps({rng.choice(["x", "answers", "CORRECT", "answer ", "A"]): rng.choice(strange)}),
        lambda: json.dumps([rng.choice(strange)]),
        lambda: "{" * rng.randrange(1, 500) + good,
        lambda: '{"answer": ' * rng.randrange(1, 300),
        lambda: f'{{"{name}": 1e999}}',
        lambda: f'{{"{name}": {"9" * rng.randrange(1, 6000)}}}',
        lambda: "".join(chr(rng.randrange(1, 0xD7FF)) for _ in range(rng.randrange(100))),
    ]
    return rng.choice(forms)()


def reply_to_all(posed: ComphyPuzzles, reply: Replies) -> tuple[dict[str, float], Counter[str]]:
    """The scores of replies to all questions, and how the answers were."""
    records: dict[str, Any] = {}
    kinds: Counter[str] = Counter()
    for task_id in posed.ids:
        dialogue = Dialogue(posed.puzzle(task_id))
        replies = 0
        while not dialogue.over:
            dialogue.reply(reply(task_id, replies))
            replies += 1
        records[task_id] = [turn.json()["record"] for turn in dialogue.turns if turn.counts]
        kinds.update(turn.kind for turn in dialogue.turns)
    return posed.scores(records), kinds


def true_answer(question: Question) -> Answer:
    if not question.choices:
        return str(question.answer)
    return {choice.id: str(choice.answer) for choice in question.choices}


def as_json(question: Question, answer: Answer) -> str:
    """An answer in the form of a prompt."""
    if isinstance(answer, str):
        return json.dumps({"answer": answer})
    letters = [
        letter for choice, letter in zip(question.choices, LETTERS, strict=False) if answer[choice.id] == CORRECT
    ]
    return json.dumps({"correct": letters})


if __name__ == "__main__":
    main()
