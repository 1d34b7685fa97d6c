"""How well see-and-simulate explains sets from tracks with noise: properties, answers, processor time, and its errors.

    python benchmarks/comphy_fit.py --data DIR --sets 40 --noise 0.7

The perception is made from the exact tracks of a dataset (no videos needed): image centres with white noise, some
frames dropped, yaws and boxes with noise, and optionally a bias of centres near the picture's border. Pixels are those
of a picture 240 wide. `--noise 0 --yaw 0 --dropped 0 --forms given` is what `tracks=given` gives.
"""

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import mean, median
from time import process_time

import numpy as np
from table import Results

from tumble.comphy.agents.see_and_simulate.agent import fitted_answers
from tumble.comphy.agents.see_and_simulate.scene import fitted_scene
from tumble.comphy.agents.see_and_simulate.set_fit import SetFit, fit_set
from tumble.comphy.agents.simulation import same_charges
from tumble.comphy.catalogue.body import world_of_bodies
from tumble.comphy.catalogue.task import KINDS, Observation, QuestionSet
from tumble.comphy.catalogue.video_set import VideoSet
from tumble.comphy.dataset.annotations import read_set
from tumble.comphy.dataset.folder import Settings
from tumble.comphy.dataset.observe import observe_videos
from tumble.comphy.dataset.question_files import without_answers
from tumble.comphy.dataset.tracks import ABSENT
from tumble.comphy.evaluation.metrics import Mark, mark
from tumble.comphy.models.perceiver.perceive import TRACK_ERROR, perception_of
from tumble.comphy.models.perceiver.perception import PerceivedVideo, Perception
from tumble.comphy.questions.ask import ask_block
from tumble.comphy.questions.symbolic_scene import symbolic_scene
from tumble.jobs import executors
from tumble.jobs.job import Job, ProgressCallback
from tumble.progress import bar

SIZE = np.array([240.0, 160.0])
"""Of the picture whose pixels errors are measured in."""
BAD_FIT = 2.5
"""The largest misfit of a good fit of the target."""
GOALS = {"factual": (91, 96), "predictive": (88, 95), "counterfactual": (82, 92)}
QUESTION_GOALS = {"predictive": (76, 90), "counterfactual": (55, 80)}


@dataclass(frozen=True)
class Noise:
    """What is done to exact tracks."""

    pixels: float = 0.7
    dropped: float = 0.02
    yaw: float = 5.0
    """Degrees."""
    border: float = 0.0
    """Pixels by which centres nearer than 12 pixels to the border are shifted inwards."""
    given: float = 1.0
    """Errors that are told, as a share of the true ones."""
    forms_given: bool = False
    """Whether forms of everyday objects are told; else they are estimated from boxes, which have the same noise."""


def main() -> None:
    parser = argparse.ArgumentParser(description="see-and-simulate on tracks with noise")
    parser.add_argument("--data", type=Path, required=True, help="the folder of a dataset")
    parser.add_argument("--sets", type=int, default=40)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--noise", type=float, nargs="+", default=[0.7], help="pixels")
    parser.add_argument("--yaw", type=float, default=5.0, help="degrees of noise of yaws")
    parser.add_argument("--border", type=float, default=0.0, help="pixels of bias near the border")
    parser.add_argument("--dropped", type=float, default=0.02, help="share of frames without a body")
    parser.add_argument("--forms", choices=("given", "estimated"), default="estimated", help="of everyday objects")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--save", action="store_true", help="write results/comphy-fit-*.csv")
    args = parser.parse_args()
    results = Results(f"see-and-simulate on {args.sets} sets with noisy tracks")
    for pixels in args.noise:
        measure_noise(results, args, noise_of(args, pixels))
    if args.save:
        results.finish("comphy-fit")


def noise_of(args: argparse.Namespace, pixels: float) -> Noise:
    """What the options say."""
    return Noise(pixels, args.dropped, args.yaw, args.border, forms_given=args.forms == "given")


def measure_noise(results: Results, args: argparse.Namespace, noise: Noise) -> None:
    """Adds the figures of one level of noise."""
    indices = list(range(args.first, args.first + args.sets))
    size = max(1, min(10, len(indices) // args.workers))
    parts = [indices[k : k + size] for k in range(0, len(indices), size)]
    jobs = [Job(str(part[0]), run_sets, (args.data, part, noise)) for part in parts]
    rows: list[Row] = []
    with bar("Fitting sets", len(indices)) as advance:
        for outcome in executors.make_executor("local", args.workers).run(jobs):
            if outcome.error:
                raise RuntimeError(outcome.error)
            rows += outcome.value
            advance(len(outcome.value))
    add_figures(results, rows, noise)


@dataclass(frozen=True)
class Row:
    """The result of one set."""

    index: int
    marks: list[Mark]
    masses: bool
    charges: bool
    misfit: float
    seconds: float
    text: str


def run_sets(root: Path, indices: Sequence[int], noise: Noise, report: ProgressCallback) -> list[Row]:
    """Explains some sets and answers their questions, with the options of the test split."""
    rows = []
    for index in indices:
        videos = read_set(root, index).videos
        questions = ask_set(videos)
        perception = noisy_perception(observe_videos(videos), noise, index)
        begin = process_time()
        found = fit_set(perception)
        answers = fitted_answers(found, fitted_scene(found), without_answers(questions))
        seconds = process_time() - begin
        masses = [body.mass for body in found.bodies] == [body.mass for body in videos.bodies]
        charges = same_charges(found.bodies, videos.bodies)
        marks = mark(questions, answers)
        text = describe(index, videos, found, marks, seconds)
        print(text, flush=True)
        rows.append(Row(index, marks, masses, charges, float(found.misfits.max()), seconds, text))
    return rows


def ask_set(videos: VideoSet) -> QuestionSet:
    """The questions of a set as in the test split of its world."""
    world = world_of_bodies(videos.bodies).name
    options = Settings(sets=1, seed=1, size=None, world=world).option_settings("test")
    return ask_block({videos.index: symbolic_scene(videos)}, 1, options)[0]


def describe(index: int, videos: VideoSet, found: SetFit, marks: list[Mark], seconds: float) -> str:
    """A line about a set."""
    right = [body.mass for body in found.bodies] == [body.mass for body in videos.bodies]
    right = right and same_charges(found.bodies, videos.bodies)
    wrong = Counter(f"{m.kind[:4]}" for m in marks if not m.all_correct)
    rivals = sorted(found.costs.values())[:3]
    return (
        f"{index:05d} {len(videos.bodies)} bodies {'ok ' if right else 'BAD'} misfit {found.misfits.max():6.2f} "
        f"refs {[round(m, 1) for m in found.reference_misfits]} rivals {[round(r) for r in rivals]} "
        f"{seconds:5.2f} s wrong {dict(wrong)}"
    )


def noisy_perception(observation: Observation, noise: Noise, seed: int) -> Perception:
    """What a perceiver with such errors would find."""
    draws = np.random.default_rng(seed)
    noisy = partial(_noisy_video, noise=noise, draws=draws)
    exact = perception_of(observation)
    forms = exact.forms if noise.forms_given else ()
    return Perception(exact.appearances, noisy(exact.target), tuple(map(noisy, exact.references)), forms)


def _noisy_video(video: PerceivedVideo, noise: Noise, draws: np.random.Generator) -> PerceivedVideo:
    seen = video.seen & (draws.random(video.seen.shape) >= noise.dropped)
    centres = video.centres * SIZE
    inner = np.clip(centres, 12.0, SIZE - 12.0)
    centres = centres + np.sign(inner - centres) * noise.border + draws.normal(0.0, noise.pixels, centres.shape)
    centres = np.where(seen[..., None], centres / SIZE, np.nan)
    yaws = video.yaws + np.radians(draws.normal(0.0, noise.yaw, video.yaws.shape))
    errors = np.full(seen.shape, max(noise.pixels * noise.given, TRACK_ERROR))
    corners = draws.normal(0.0, noise.pixels, (*seen.shape, 2, 2)) / SIZE  # of the box: low, high
    shifts = np.concatenate([corners.mean(axis=-2), corners[..., 1, :] - corners[..., 0, :]], axis=-1)
    shown = seen & (video.boxes[..., 2] > 0.0)
    boxes = np.where(shown[..., None], video.boxes + shifts, ABSENT).astype(np.float32)
    return PerceivedVideo(video.members, seen, centres, errors, np.where(seen, yaws, np.nan), boxes)


def add_figures(results: Results, rows: Sequence[Row], noise: Noise) -> None:
    """Accuracy by kind, properties, seconds, and where errors come from."""
    name = f"{noise.pixels:g} px" + (f", border {noise.border:g} px" if noise.border else "")
    marks = [one for row in rows for one in row.marks]
    results.add(f"{name}: properties right", f"{sum(r.masses and r.charges for r in rows)} of {len(rows)}")
    results.add(f"{name}: good fits of the target", f"{sum(r.misfit < BAD_FIT for r in rows)} of {len(rows)}")
    for kind in KINDS:
        own = [one for one in marks if one.kind == kind]
        if not own:
            continue
        options = [right for one in own for right in one.correct]
        must, goal = GOALS[kind]
        results.add(f"{name}: {kind}", f"{100 * mean(options):.1f}", str(must), str(goal), f"{len(options)} options")
        if kind in QUESTION_GOALS:
            must, goal = QUESTION_GOALS[kind]
            questions = [one.all_correct for one in own]
            share = f"{100 * mean(questions):.1f}"
            results.add(f"{name}: {kind}, per question", share, str(must), str(goal), f"{len(questions)} questions")
    results.add(
        f"{name}: processor seconds a set",
        f"{mean(r.seconds for r in rows):.2f}",
        note=f"median {median(r.seconds for r in rows):.2f}, longest {max(r.seconds for r in rows):.2f}",
    )
    causes: Counter[str] = Counter()
    for row in rows:
        wrong = sum(not right for one in row.marks for right in one.correct)
        cause = "properties" if not (row.masses and row.charges) else "bad fit" if row.misfit > BAD_FIT else "fragile"
        causes[cause] += wrong
    results.add(f"{name}: wrong answers by cause", ", ".join(f"{k} {v}" for k, v in causes.most_common()))


if __name__ == "__main__":
    main()
