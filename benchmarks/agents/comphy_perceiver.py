"""What ComPhy's perceiver finds in the decoded videos of a dataset, and its speed.

    python benchmarks/agents/comphy_perceiver.py data --split test --sets 100
    python benchmarks/agents/comphy_perceiver.py data --checkpoint perceiver.pt --device cuda
    python benchmarks/agents/comphy_perceiver.py div --world div --checkpoint checkpoints/div/perceiver.pt

A body counts where at least 25 of its pixels are visible at 240 x 160. Figures are those after tracking, unless they
say "per detection". Errors of centres are distances, in pixels of 240 x 160.
"""

import argparse
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
import torch
from table import Results

from tumble.comphy.catalogue.world import PLAIN, WORLDS
from tumble.comphy.dataset.layout import VIDEOS, named_split
from tumble.comphy.dataset.load import open_dataset
from tumble.comphy.models.perceiver.metrics import BORDER, Scores, look_codes, true_videos
from tumble.comphy.models.perceiver.perceive import Perceiver
from tumble.progress import bar

MASK_SETS = 10
"""Sets of which masks are compared."""
DEVICE_FRAMES = 20_000
"""Frames at least by which the speed of a GPU is measured."""


def rms(values: np.ndarray) -> float:
    """Root mean square of values, or of distances [value, 2]."""
    return float(np.sqrt((values**2).sum() / max(len(values), 1)))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("--split", default="test")
    parser.add_argument("--sets", type=int, default=100)
    parser.add_argument("--checkpoint", default="")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--world", default=PLAIN.name, choices=list(WORLDS), help="of the sets and of the checkpoint")
    options = parser.parse_args()
    torch.set_num_threads(1)
    perceiver = Perceiver.load(options.checkpoint, options.device)
    data = open_dataset(options.data)
    for what, world in (("sets", data.world), ("checkpoint", perceiver.world)):
        if world.name != options.world:
            raise SystemExit(f"the {what}: of the {world.name} world, not of {options.world}")
    is_plain = options.world == PLAIN.name
    indices = [index for index, split in data.splits.items() if split == named_split(options.split)][: options.sets]
    scores, frames, busy, wall = Scores(), 0, 0.0, 0.0
    pictures: list[np.ndarray] = []
    with bar("Looking at sets", len(indices)) as advance:
        for number, index in enumerate(indices):
            example = data.example(index)
            videos = tuple(example.frames(key) for key in VIDEOS)
            start, busy_start = time.perf_counter(), time.process_time()
            perception = perceiver.perceive(videos)
            busy, wall = busy + time.process_time() - busy_start, wall + time.perf_counter() - start
            frames += sum(map(len, videos))
            truths = true_videos(example)
            scores.add_set(perception, truths)
            if number < MASK_SETS:
                scores.add_detections(perceiver.detect_videos(videos), truths)
                seen = (perception.target, *perception.references)
                for video, perceived, true in zip(videos, seen, truths, strict=True):
                    scores.add_masks(
                        perceiver.masks(video, perceived),
                        perceived,
                        look_codes(perception, perceived, true.world),
                        true,
                    )
            if options.device != "cpu" and sum(map(len, pictures)) < DEVICE_FRAMES:
                pictures += videos
            advance(1)
    is_cpu = options.device == "cpu"
    results = Results("ComPhy's perceiver", "" if is_cpu else torch.cuda.get_device_name())
    report(
        results, scores, f"{len(indices)} sets, {frames} frames of the {options.split} split, decoded videos", is_plain
    )
    if is_cpu:
        note = f"all of perceive(), by processor time; {frames / wall:.1f} by the clock"
        results.add("frames/s on one core", f"{frames / busy:.1f}", "25", "60", note)
    else:
        device_speed(results, perceiver, pictures)
    name = "comphy-perceiver" if is_plain else f"comphy-perceiver-{options.world}"
    results.finish(name if is_cpu else f"{name}-gpu")


def report(results: Results, scores: Scores, note: str, is_plain: bool = True) -> None:
    """Adds the figures; the must-reach ones are those of a world."""
    counts = scores.counts
    for level, must, goal in ((0.5, "98" if is_plain else "95", "99.5"), (0.75, "", "")):
        recall, precision = scores.share(f"right at {level}", "wanted"), scores.share(f"right at {level}", "found")
        results.add(f"recall at IoU {level}, %", f"{recall:.2f}", must, goal, note)
        results.add(f"precision at IoU {level}, %", f"{precision:.2f}", must, goal)
    switches = counts["identity switches"]
    results.add("identity switches", str(switches), "", "", f"in {counts['matched']} matched boxes")
    right = scores.share("matched with the right look", "matched")
    results.add("matched boxes with the right identity, %", f"{right:.2f}")
    errors, estimated = scores.all("error").reshape(-1, 2), scores.all("estimated error")
    mean = errors.mean(axis=0) if len(errors) else np.zeros(2)
    per_axis = rms(errors) / 2**0.5
    results.add("centre error, rms, px", f"{rms(errors):.3f}", "1.2", "0.6", f"{per_axis:.3f} per coordinate")
    median = float(np.median(np.linalg.norm(errors, axis=1))) if len(errors) else float("nan")
    results.add("centre error, median, px", f"{median:.3f}")
    results.add("centre bias, px", f"{np.linalg.norm(mean):.3f}", "0.3", "0.1", f"x {mean[0]:+.3f}, y {mean[1]:+.3f}")
    border, outward = scores.all("border error").reshape(-1, 2), scores.all("outward error")
    where = f"centres within {BORDER:.0f} px of a border, {len(border)} boxes"
    results.add("centre error at borders, rms, px", f"{rms(border):.3f}", "1.2", "0.6", where)
    bias = float(outward.mean()) if len(outward) else float("nan")
    results.add("centre bias at borders, outward, px", f"{bias:+.3f}", "0.3", "0.1", where)
    ratios = errors / estimated[:, None]
    results.add("errors divided by estimated errors, rms", f"{rms(ratios) / 2**0.5:.2f}", "", "1", "per coordinate")
    within = 100.0 * float((np.abs(ratios) < 1.0).mean()) if len(ratios) else float("nan")
    results.add("errors within the estimated error, %", f"{within:.1f}", "", "68.3")
    yaws = scores.all("yaw error")
    middle = float(np.median(np.abs(yaws))) if len(yaws) else float("nan")
    results.add("yaw error, rms, degrees", f"{rms(yaws):.2f}", "6", "3", f"median {middle:.2f}, {len(yaws)} boxes")
    bodies = scores.share("bodies with the right look", "bodies")
    found = f"{counts['bodies found']} found, {counts['bodies']} shown"
    results.add("bodies of sets with all attributes right, %", f"{bodies:.2f}", "99" if is_plain else "", "", found)
    results.add("sets with all bodies right, %", f"{scores.share('sets with all bodies right', 'sets'):.1f}")
    for name in ("look", "colour", "material", "shape"):
        share = scores.share(f"detections with the right {name}", "detections")
        must = "95" if name == "shape" and not is_plain else ""
        results.add(f"{name} right per detection, %", f"{share:.2f}", must, "", f"{counts['detections']} detections")
    masks = scores.all("mask IoU")
    results.add(
        "IoU of masks, mean", f"{masks.mean() if len(masks) else float('nan'):.3f}", "", "", f"{len(masks)} masks"
    )


def device_speed(results: Results, perceiver: Perceiver, pictures: list[np.ndarray]) -> None:
    """Frames per second of detection on a GPU, all frames in large batches, from host memory to detections there."""
    together = np.concatenate(pictures)
    together = np.concatenate([together] * -(-DEVICE_FRAMES // len(together)))
    perceiver.detect_videos((together[:2048],))
    start = time.perf_counter()
    perceiver.detect_videos((together,))
    rate = len(together) / (time.perf_counter() - start)
    results.add("frames/s on one GPU", f"{rate:.0f}", "3000", "10000", f"{len(together)} frames, detection")


if __name__ == "__main__":
    main()
