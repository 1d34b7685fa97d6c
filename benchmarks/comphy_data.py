"""Whether ComPhy's questions have the documented properties: every figure of the data on fresh sets.

    python benchmarks/comphy_data.py                           2,000 sets of a seed of today, in .carry-comphy-data
    python benchmarks/comphy_data.py --data DIR                an existing dataset
    python benchmarks/comphy_data.py --sets 200 --seed 5 --data /tmp/data

All sets are asked about with the options of the test split. Agents that learn are trained on one half and answer about
the other, as in `comphy_agents.py`. Keys are checked by simulating every world again with bodies that act on each other
only while the camera sees both.
"""

import argparse
import itertools
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from comphy_agents import add_blind, add_mix, add_oracle, add_shown, add_simulation, ask, evenly_spaced, read_scenes
from table import Results

from tumble.comphy.catalogue.body import HEAVY, LIGHT, SHAPES, Body, Motion
from tumble.comphy.catalogue.task import CORRECT, Question, QuestionSet
from tumble.comphy.catalogue.video_set import CHANGES, Alteration, VideoSet
from tumble.comphy.catalogue.world import (
    CUBE_HALF_SIZE,
    FRAMES_PER_SECOND,
    RADIUS,
    SHOWN_FRAMES,
    STEPS_PER_FRAME,
    TARGET_FRAMES,
)
from tumble.comphy.dataset.annotations import read_set
from tumble.comphy.dataset.folder import file_digest
from tumble.comphy.dataset.layout import Layout
from tumble.comphy.generation.generate import extend, generate
from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.questions.interpreter import Interpreter
from tumble.comphy.questions.program import CHANGE_PREFIX
from tumble.comphy.questions.symbolic_scene import SymbolicScene, symbolic_scene
from tumble.comphy.simulation.events import colliding_pairs
from tumble.comphy.simulation.outcomes import has_unseen_contact
from tumble.comphy.simulation.simulator import InitialState, simulate_many
from tumble.jobs import executors
from tumble.jobs.job import Job, ProgressCallback
from tumble.progress import bar

DEFAULT_FOLDER = Path(__file__).resolve().parent.parent / ".carry-comphy-data"
SETS_PER_JOB = 10
MIN_ORDER_FRAMES = 5
COLLISIONS = 2000
"""Of each pair of shapes."""
PARTED_FRAMES = 3
"""Frames after a collision at which energy is measured."""
GAIN = 1.02
INERTIA = {"cube": (2 * CUBE_HALF_SIZE) ** 2 / 6, "sphere": 0.4 * RADIUS**2, "cylinder": RADIUS**2 / 2}
"""Per mass: about the vertical axis, for spheres about any."""


def main() -> None:
    parser = argparse.ArgumentParser(description="figures of ComPhy's data")
    parser.add_argument("--data", type=Path, default=DEFAULT_FOLDER, help="the folder of the dataset")
    parser.add_argument("--sets", type=int, default=2000, help="sets to generate if the folder has none")
    parser.add_argument("--seed", type=int, default=date.today().toordinal(), help="seed, if they are generated")
    parser.add_argument("--simulated", type=int, default=200, help="sets that the simulation agent answers")
    parser.add_argument("--speed-sets", type=int, default=100, help="sets generated to measure speed and extending")
    parser.add_argument("--workers", type=int, default=None, help="processes; by default one per core")
    args = parser.parse_args()
    if not Layout(args.data).sums.exists():
        generate(args.data, args.sets, args.seed, video=False, workers=args.workers)
    scenes = read_scenes(args.data, args.workers)
    results = Results(f"ComPhy's data: {len(scenes):,} sets")
    questions = ask(scenes, list(scenes), "test")
    add_shown(results, questions, args.data, args.workers)
    add_questions(results, questions, scenes, args.data, args.workers)
    add_mix(results, scenes)
    halves = [[index for index in scenes if index % 24 // 12 == half] for half in (0, 1)]
    train, test = [ask(scenes, half, "train") for half in halves], [ask(scenes, half, "test") for half in halves]
    for name in ("random", "frequent", "blind-lstm"):
        add_blind(results, name, train, test)
    add_oracle(results, questions, scenes, len(scenes))
    add_energy(results)
    add_simulation(results, evenly_spaced(questions, args.simulated), args.data, args.workers)
    add_speed(results, args.speed_sets, args.seed)
    results.finish("comphy-data")


def add_questions(
    results: Results,
    questions: Sequence[QuestionSet],
    scenes: Mapping[int, SymbolicScene],
    root: Path,
    workers: int | None,
) -> None:
    """Figures of sets and questions, counted set by set."""
    counts = count_sets(questions, root, workers)
    counterfactual, predictive = counts["counterfactual"], counts["predictive"]
    share = 100.0 * counts["predictive", 4] / predictive
    results.add("questions about the same world in a set", str(counts["same world"]), "0", "", f"of {counterfactual:,}")
    results.add("predictive questions with four options", f"{share:.1f} %", "15 %", "", f"of {predictive:,}")
    share = 100.0 * counts["future"] / len(scenes)
    results.add("sets with a future collision in view", f"{share:.1f} %", "65 %", "", f"of {len(scenes):,}")
    note = f"of {counts['ordered']:,} questions that depend on an order"
    results.add("answers decided by less than 5 frames", str(counts["close order"]), "0", "", note)
    note = f"of {counts['keys']:,} options; simulated with bodies that act only in view"
    results.add("keys decided by what is out of view", str(counts["unseen keys"]), "0", "", note)
    note = "contacts out of view in targets and references"
    results.add("unseen contacts", str(counts["unseen contacts"]), "0", "", note)
    for family in ("mass", "charge"):
        mean = counts["counterfactual", family] / max(counts["sets", family], 1)
        published = {"mass": "about 2", "charge": "about 5, half of them about the same worlds"}[family]
        results.add(f"counterfactual questions a {family} set", f"{mean:.1f}", "", "", f"published {published}")
    seconds = ", ".join(str(counts["second", k]) for k in range(TARGET_FRAMES // FRAMES_PER_SECOND))
    results.add("collisions by second", seconds, "", "", "the last two are the future")
    thirds = [100.0 * counts["third", k] / sum(counts["third", j] for j in range(3)) for k in range(3)]
    results.add("bodies in the upper, middle, lower third", ", ".join(f"{share:.0f} %" for share in thirds))


def count_sets(questions: Sequence[QuestionSet], root: Path, workers: int | None) -> Counter[object]:
    """The counts of all sets."""
    parts = [questions[first : first + SETS_PER_JOB] for first in range(0, len(questions), SETS_PER_JOB)]
    jobs = [Job(str(part[0].index), count_part, (root, part)) for part in parts]
    counts: Counter[object] = Counter()
    with bar("Checking keys", len(questions)) as advance:
        for outcome in executors.make_executor("local", workers).run(jobs):
            if outcome.error:
                raise RuntimeError(outcome.error)
            counts.update(outcome.value)
            advance(SETS_PER_JOB)
    return counts


def count_part(root: Path, part: Sequence[QuestionSet], report: ProgressCallback) -> Counter[object]:
    counts: Counter[object] = Counter()
    for own in part:
        counts.update(count_set(read_set(root, own.index).videos, own))
    return counts


def count_set(videos: VideoSet, own: QuestionSet) -> Counter[object]:
    """What is counted of one set and its questions."""
    counts: Counter[object] = Counter()
    interpreter = Interpreter(symbolic_scene(videos))
    start, worlds = InitialState.from_motion(videos.target, 0), []
    counts["sets", videos.family] += 1
    counts["future"] += bool(colliding_pairs(videos.target, SHOWN_FRAMES, TARGET_FRAMES))
    motions = (videos.target, *(reference.motion for reference in videos.references))
    counts["unseen contacts"] += sum(map(has_unseen_contact, motions))
    for collision in videos.target.collisions:
        counts["second", collision.step // STEPS_PER_FRAME // FRAMES_PER_SECOND] += 1
    shown = slice(0, SHOWN_FRAMES)
    heights = CAMERA.project(videos.target.positions[shown][videos.target.in_view[shown]])[:, 1]
    counts.update(("third", int(third)) for third in np.minimum(heights * 3, 2))
    for question in own.questions:
        counts[question.kind] += 1
        if question.kind == "factual":
            gap = interpreter.order_gap(question.program)
            counts["ordered"] += gap is not None
            counts["close order"] += gap is not None and gap < MIN_ORDER_FRAMES
            continue
        if question.kind == "predictive":
            counts["predictive", len(question.choices)] += 1
            (seen,) = simulate_many([(videos.bodies, start)], TARGET_FRAMES, only_in_view=True)
            pairs = colliding_pairs(seen, SHOWN_FRAMES, TARGET_FRAMES)
        else:
            counts["counterfactual", videos.family] += 1
            change = asked_change(interpreter, question)
            worlds.append(videos.altered[change].positions.tobytes())
            (seen,) = simulate_many([(change.apply(videos.bodies), start)], SHOWN_FRAMES, only_in_view=True)
            pairs = colliding_pairs(seen)
        counts["keys"] += len(question.choices)
        counts["unseen keys"] += sum(
            (choice.answer == CORRECT) != ((asked_pair(interpreter, choice.program) in pairs) != is_negated(question))
            for choice in question.choices
        )
    counts["same world"] += len(worlds) - len(set(worlds))
    return counts


def asked_change(interpreter: Interpreter, question: Question) -> Alteration:
    """The change that a counterfactual question is about, by its program."""
    position = next(k for k, token in enumerate(question.program) if token.startswith(CHANGE_PREFIX))
    (body,) = interpreter.subject((*question.program[1:position], "query_color"))
    name = question.program[position].removeprefix(CHANGE_PREFIX)
    return Alteration(body, next(change for change in CHANGES if change == name))


def asked_pair(interpreter: Interpreter, program: tuple[str, ...]) -> tuple[int, int]:
    """The pair of bodies of an option."""
    (event,) = interpreter.subject(program)
    return event.bodies[0], event.bodies[1]


def is_negated(question: Question) -> bool:
    return question.program[-1] in ("not", "negate")


def add_energy(results: Results) -> None:
    """Collisions after which two bodies have more kinetic energy than before, by pair of shapes."""
    generator = np.random.default_rng(1)
    for shapes in itertools.combinations_with_replacement(SHAPES, 2):
        worlds = [colliding_world(shapes, generator) for _ in range(2 * COLLISIONS)]
        ratios = [
            ratio
            for (bodies, _), motion in zip(worlds, simulate_many(worlds, 60), strict=True)
            for ratio in energy_ratios(bodies, motion)
        ][:COLLISIONS]
        gained = sum(ratio > GAIN for ratio in ratios)
        name = f"collisions that gain energy, {shapes[0]} and {shapes[1]}"
        note = f"largest ratio {max(ratios):.3f}"
        results.add(name, f"{gained} of {len(ratios):,}", f"0 of {COLLISIONS:,}", "", note)


def colliding_world(shapes: tuple[str, str], generator: np.random.Generator) -> tuple[tuple[Body, Body], InitialState]:
    """Two bodies that approach each other, head on or not."""
    masses = generator.choice([LIGHT, HEAVY], 2)
    bodies = (
        Body("red", "metal", shapes[0], int(masses[0])),
        Body("blue", "rubber", shapes[1], int(masses[1])),
    )
    angle = generator.uniform(-np.pi, np.pi)
    ahead = np.array([np.cos(angle), np.sin(angle)])
    aside = generator.uniform(-0.45, 0.45) * np.array([-ahead[1], ahead[0]])
    speeds = generator.uniform(0.1, 3.0, 2)
    places, velocities = np.array([-0.5 * ahead, 0.5 * ahead + aside]), np.array([ahead, -ahead]) * speeds[:, None]
    return bodies, InitialState.on_table(bodies, places, generator.uniform(-np.pi, np.pi, 2), velocities)


def energy_ratios(bodies: tuple[Body, ...], motion: Motion) -> list[float]:
    """Kinetic energy after each collision, divided by that before it."""
    masses = np.array([body.mass for body in bodies])
    inertias = masses * np.array([INERTIA[body.shape] for body in bodies])
    squares = (motion.velocities**2).sum(axis=-1) @ masses + (motion.angular_velocities**2).sum(axis=-1) @ inertias
    frames = [collision.step // STEPS_PER_FRAME for collision in motion.collisions]
    return [float(squares[k + PARTED_FRAMES] / squares[k]) for k in frames if k + PARTED_FRAMES < motion.frames]


def add_speed(results: Results, sets: int, seed: int) -> None:
    """Sets per second without videos, and whether extending gives the same bytes."""
    with TemporaryDirectory() as folder:
        short, long = Path(folder) / "short", Path(folder) / "long"
        begin = time.perf_counter()
        generate(short, sets, seed, video=False, workers=2)
        seconds = time.perf_counter() - begin
        results.add("sets/s without video, two cores", f"{sets / seconds:.2f}", "4", "", f"{sets} sets, two workers")
        extend(short, 2 * sets, workers=2)
        generate(long, 2 * sets, seed, video=False, workers=2)
        bytes_are = "same bytes" if file_digests(short) == file_digests(long) else "OTHER BYTES"
        note = f"{len(file_digests(long)):,} files"
        results.add(f"extending {sets} sets to {2 * sets}", bytes_are, "same bytes", "", note)


def file_digests(root: Path) -> dict[str, str]:
    return {str(path.relative_to(root)): file_digest(path) for path in root.rglob("*") if path.is_file()}


if __name__ == "__main__":
    main()
