"""The div world: laws of motion of each category, how fast sets are generated, answers, and what blind models score.

    python benchmarks/comphy_div.py                    1,000 sets of a seed of today, in .carry-comphy-div
    python benchmarks/comphy_div.py --data DIR         an existing dataset
    python benchmarks/comphy_div.py --sets 200 --seed 5 --data /tmp/div

Agents that learn are trained on one half of the sets and answer about the other, both ways.
"""

import argparse
import itertools
import os
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import date
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from comphy_agents import SETS_PER_JOB, evenly_spaced, figures, read_scenes, run_shown, seen_task
from comphy_calibration import CHARGE, DECELERATION_FRAMES, PARTED_FRAMES, RESTITUTION, SLOWING, SPEEDS
from table import Results

from tumble.comphy import agents
from tumble.comphy.catalogue.body import Body
from tumble.comphy.catalogue.task import KINDS, QuestionSet, Task
from tumble.comphy.catalogue.world import DIV, FRAMES_PER_SECOND, PLAIN, STEPS_PER_FRAME
from tumble.comphy.dataset.folder import Settings
from tumble.comphy.dataset.layout import Layout
from tumble.comphy.dataset.question_files import without_answers
from tumble.comphy.evaluation import published_results as paper
from tumble.comphy.evaluation.metrics import Mark, mark, mark_all
from tumble.comphy.generation.generate import generate
from tumble.comphy.generation.make_set import make_set
from tumble.comphy.questions.ask import ask_block, blocks
from tumble.comphy.questions.program import answers_by_type, canonical_answer
from tumble.comphy.questions.symbolic_scene import SymbolicScene
from tumble.comphy.simulation.laws import SLIDES_AS
from tumble.comphy.simulation.simulator import InitialState, physics_id, simulate
from tumble.jobs import executors
from tumble.jobs.job import Job
from tumble.progress import bar

DEFAULT_FOLDER = Path(__file__).resolve().parent.parent / ".carry-comphy-div"
LAW_TOLERANCE = 0.15
BLIND_MUST = 47.0, 54.0
"""Per cent of options that models without video may answer, predictive and counterfactual."""
SHOWN_MUST = {"predictive": 65.0, "counterfactual": 58.0}
SPEED_MUST = 2.0
FORMS = range(5)
"""Variations of each category whose laws are measured."""


def main() -> None:
    parser = argparse.ArgumentParser(description="figures of the div world")
    parser.add_argument("--data", type=Path, default=DEFAULT_FOLDER, help="the folder of the dataset")
    parser.add_argument("--sets", type=int, default=1000, help="sets to generate if the folder has none")
    parser.add_argument("--seed", type=int, default=date.today().toordinal(), help="seed, if they are generated")
    parser.add_argument("--speed-sets", type=int, default=60, help="sets of each world to measure speed")
    parser.add_argument("--simulated", type=int, default=50, help="sets that the simulation agent answers")
    parser.add_argument("--workers", type=int, default=None, help="processes; by default one per core")
    args = parser.parse_args()
    results = Results(f"ComPhy's div world, {physics_id(DIV.name)}")
    add_laws(results)
    add_answers(results)
    add_speed(results, args.speed_sets)
    if not Layout(args.data).sums.exists():
        generate(args.data, args.sets, args.seed, video=False, workers=args.workers, world=DIV.name)
    scenes = read_scenes(args.data, args.workers)
    halves = [ask(scenes, [index for index in scenes if index % 2 == half]) for half in (0, 1)]
    questions = sorted((own for half in halves for own in half), key=lambda own: own.index)
    add_mix(results, questions)
    for name in ("random", "frequent", "blind-lstm"):
        add_blind(results, name, halves)
    for name, count in (("shown", len(questions)), ("simulation", args.simulated)):
        add_seeing(results, name, evenly_spaced(questions, count), args.data, args.workers)
    results.finish("comphy-div")


def check(results: Results, figure: str, values: Sequence[float], published: float) -> None:
    """A law that must be within LAW_TOLERANCE of the published one for the kind of all forms of a category."""
    worst = max(values, key=lambda value: abs(value - published))
    must = f"{(1 - LAW_TOLERANCE) * published:.3f} to {(1 + LAW_TOLERANCE) * published:.3f}"
    missed = "" if abs(worst - published) <= LAW_TOLERANCE * published else "MISSED"
    results.add(figure, f"{np.mean(values):.3f}", must, f"{published:.3f}", missed or f"farthest {worst:.3f}")


def add_laws(results: Results) -> None:
    """Deceleration, restitution and charge of each category, on simulated motion."""
    for shape, kind in SLIDES_AS.items():
        for speed in SPEEDS:
            pairs = [deceleration(Body("red", "wood", shape, form=form), speed) for form in FORMS]
            law = SLOWING[kind][0] + SLOWING[kind][1] * float(np.mean([mean for _, mean in pairs]))
            check(results, f"deceleration of a {shape} at {speed}", [value for value, _ in pairs], law)
    for shape in DIV.shapes:
        bounces = [bounce(shape, form, speed) for form in FORMS for speed in (0.6, 0.8, 1.0, 1.2)]
        check(results, f"restitution of a {shape} with a bottle, median", [float(np.median(bounces))], RESTITUTION)
    for shape, kind in SLIDES_AS.items():
        constants = [charge_of(shape, form, SLOWING[kind][0]) for form in FORMS]
        check(results, f"charge constant of a {shape}", constants, CHARGE)


def deceleration(body: Body, speed: float) -> tuple[float, float]:
    """The deceleration of an object that slides, and its mean speed meanwhile."""
    start = InitialState.on_table((body,), np.zeros((1, 2)), np.array([0.3]), speed * np.array([[0.6, 0.8]]))
    speeds = np.hypot(*simulate((body,), start, DECELERATION_FRAMES + 1).velocities[:, 0, :2].T)
    return float((speeds[0] - speeds[-1]) * FRAMES_PER_SECOND / DECELERATION_FRAMES), float(speeds.mean())


def bounce(shape: str, form: int, speed: float) -> float:
    """Share of the closing speed that is left some frames after an object was hit in the direction of its centre."""
    bodies = Body("red", "wood", shape, form=form), Body("blue", "wood", "bottle", form=form)
    places, velocities = np.array([[-0.6, 0.0], [0.6, 0.0]]), np.array([[speed, 0.0], [-speed, 0.0]])
    motion = simulate(bodies, InitialState.on_table(bodies, places, np.array([np.pi / 2, 0.0]), velocities), 60)
    frame = motion.collisions[0].step // STEPS_PER_FRAME
    closing = motion.velocities[:, 0, 0] - motion.velocities[:, 1, 0]
    return float(-closing[frame + PARTED_FRAMES] / closing[frame])


def charge_of(shape: str, form: int, friction: float, apart: float = 0.7, frames: int = 4) -> float:
    """The charge constant by the first acceleration of two objects that approach each other slowly."""
    bodies = Body("red", "wood", shape, charge=1, form=form), Body("blue", "wood", shape, charge=-1, form=form)
    places = np.array([[0.0, 0.0], [apart, 0.0]])
    motion = simulate(bodies, InitialState.on_table(bodies, places, np.zeros(2), np.zeros((2, 2))), frames)
    gained = abs(float(motion.velocities[-1, 0, 0])) * FRAMES_PER_SECOND / (frames - 1)
    distances = np.hypot(*(motion.positions[:, 1] - motion.positions[:, 0])[:, :2].T)
    return (gained + friction) * float(np.mean(distances**2))


def add_answers(results: Results) -> None:
    """Answers that there are."""
    answers = {canonical_answer(answer) for space in answers_by_type(DIV).values() for answer in space}
    pairs = sum(" and " in answer for answer in answers)
    note = f"{len(answers) - pairs} words and numbers, {pairs} pairs of words, whose order does not count"
    results.add(
        "answers to factual questions", str(len(answers)), "", str(paper.DIV_ANSWERS), note + "; goal: published"
    )


def add_speed(results: Results, count: int) -> None:
    """Sets per second on two cores, of both worlds in turn."""
    jobs = [(index, world) for index in range(count) for world in (DIV.name, PLAIN.name)]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        list(pool.map(seconds_of, jobs[:8]))
        taken = list(pool.map(seconds_of, jobs))
    load = f"the machine's load was {os.getloadavg()[0]:.1f}"
    for number, world in enumerate((DIV.name, PLAIN.name)):
        processor, clock = (np.mean([one[k] for one in taken[number::2]]) for k in range(2))
        must = f"{SPEED_MUST:g}" if world == DIV.name else ""
        note = f"2 / {processor:.2f} s of processor time a set; by the clock {2 / clock:.2f}; {load}"
        results.add(f"sets/s on two cores, {world} world, no questions", f"{2 / processor:.2f}", must, "", note)


def seconds_of(job: tuple[int, str]) -> tuple[float, float]:
    """Processor time and time that a set takes."""
    begin, start = time.process_time(), time.perf_counter()
    make_set(job[0], None, 1, job[1])
    return time.process_time() - begin, time.perf_counter() - start


def ask(scenes: dict[int, SymbolicScene], indices: Sequence[int]) -> list[QuestionSet]:
    """Questions about some sets, as in the test split."""
    options = Settings(1, 1, None, world=DIV.name).option_settings("test")
    asked = [ask_block({index: scenes[index] for index in block}, 1, options) for block in blocks(indices)]
    return list(itertools.chain.from_iterable(asked))


def add_mix(results: Results, questions: Sequence[QuestionSet]) -> None:
    """Shares of the kinds of questions, and answers that occur."""
    every = [question for own in questions for question in own.questions]
    counts = Counter(question.kind for question in every)
    for kind in KINDS:
        results.add(f"{kind} questions", f"{100 * counts[kind] / len(every):.1f} %", "", "", f"{counts[kind]:,}")
    given = {canonical_answer(question.answer) for question in every if question.answer is not None}
    results.add("different answers given", str(len(given)), "", "", f"to {counts['factual']:,} factual questions")


def add_blind(results: Results, name: str, halves: Sequence[Sequence[QuestionSet]]) -> None:
    """An agent that uses no video: trained on one half, tested on the other, both ways."""
    marks: list[Mark] = []
    for train, test in zip(halves, reversed(halves), strict=True):
        agent = agents.make(name)
        agent.train([Task(own, world=DIV) for own in train])
        answers = {own.index: agent.answer(Task(without_answers(own), world=DIV)) for own in test}
        marks += mark_all(test, answers)
    add_figures(results, name, marks, dict.fromkeys(("predictive", "counterfactual"), BLIND_MUST))


def add_seeing(results: Results, name: str, questions: Sequence[QuestionSet], root: Path, workers: int | None) -> None:
    """An agent that sees tracks."""
    parts = [questions[first : first + SETS_PER_JOB] for first in range(0, len(questions), SETS_PER_JOB)]
    work = run_shown if name == "shown" else run_simulation
    jobs = [Job(f"sets {part[0].index:05d} …", work, (root, part)) for part in parts]
    marks: list[Mark] = []
    with bar(name, len(questions)) as advance:
        for outcome in executors.make_executor("local", workers).run(jobs):
            if outcome.error:
                raise RuntimeError(f"{outcome.job.name}: {outcome.error}")
            marks += outcome.value[0]
            advance(SETS_PER_JOB)
    must = {kind: (0.0, most) for kind, most in SHOWN_MUST.items()} if name == "shown" else {}
    add_figures(results, name, marks, must)


def run_simulation(root: Path, questions: Sequence[QuestionSet], report: object) -> tuple[list[Mark], float]:
    """Simulation's marks on some sets."""
    agent = agents.make("simulation")
    return [one for own in questions for one in mark(own, agent.answer(seen_task(root, own)))], 0.0


def add_figures(results: Results, name: str, marks: Sequence[Mark], musts: dict[str, tuple[float, float]]) -> None:
    """The five accuracies of an agent beside those of the paper."""
    published = paper.TABLE_8.get(paper.NAMES.get(name, ""))
    for figure, value, options in figures(marks):
        kind, _, what = figure.partition("_")
        low, high = musts.get(kind, (0.0, 100.0)) if what == "per_option" else (0.0, 100.0)
        must = f"{low:g} to {high:g}" if (low, high) != (0.0, 100.0) else ""
        missed = "" if low <= value <= high else "MISSED; "
        note = f"{missed}published {getattr(published, figure)}{options}" if published else missed + options.strip("; ")
        results.add(f"{name}, {figure.replace('_', ' ')}", f"{value:.1f}", must, "", note)


if __name__ == "__main__":
    main()
