"""What ComPhy's perceiver finds in the decoded videos of a dataset, and its speed.

    python benchmarks/agents/comphy_perceiver.py --data DIR [--sets 100] [--checkpoint FILE] [--device cuda]

A body counts where at least 25 of its pixels are visible at 240 x 160. Figures are those after tracking, unless they
say "per detection". Errors of centres are distances, in pixels of 240 x 160.
"""

import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
import torch
from table import Results, arguments

from tumble.comphy.catalogue.world import PLAIN
from tumble.comphy.dataset.layout import VIDEOS, named_split
from tumble.comphy.dataset.load import open_dataset
from tumble.comphy.models.perceiver.metrics import Scores, true_videos
from tumble.comphy.models.perceiver.perceive import Perceiver
from tumble.progress import bar

DETECTED = 10
"""Sets of which single detections are counted."""


def rms(values: np.ndarray) -> float:
    """Root mean square of values, or of distances [value, 2]."""
    return float(np.sqrt((values**2).sum() / max(len(values), 1)))


def report(results: Results, scores: Scores, note: str, is_plain: bool) -> None:
    """Adds the figures; those that must be reached are of a world."""
    for level, must in ((0.5, "98" if is_plain else "95"), (0.75, "")):
        recall, precision = scores.share(f"right at {level}", "wanted"), scores.share(f"right at {level}", "found")
        results.add(f"recall at IoU {level}, %", f"{recall:.2f}", must, "", note)
        results.add(f"precision at IoU {level}, %", f"{precision:.2f}", must)
    switches = f"{scores.counts['identity switches']}"
    results.add("identity switches", switches, note=f"in {scores.counts['matched']} matched boxes")
    errors = scores.all("error").reshape(-1, 2)
    bias = errors.mean(axis=0) if len(errors) else np.zeros(2)
    results.add("centre error, rms, px", f"{rms(errors):.3f}", "1.2", "0.6")
    results.add("centre bias, px", f"{np.linalg.norm(bias):.3f}", "0.3", "0.1", f"x {bias[0]:+.3f}, y {bias[1]:+.3f}")
    yaws = scores.all("yaw error")
    results.add("yaw error, rms, degrees", f"{rms(yaws):.2f}", "6", "3", f"{len(yaws)} boxes")
    found = f"{scores.counts['bodies found']} found, {scores.counts['bodies']} shown"
    share = f"{scores.share('bodies with the right look', 'bodies'):.2f}"
    results.add("bodies of sets with all attributes right, %", share, "99" if is_plain else "", "", found)
    for name in ("look", "colour", "material", "shape"):
        share = f"{scores.share(f'detections with the right {name}', 'detections'):.2f}"
        must = "95" if name == "shape" and not is_plain else ""
        results.add(f"{name} right per detection, %", share, must, note=f"{scores.counts['detections']} detections")


def main() -> None:
    given = arguments(__doc__, data=Path("comphy-data"), split="test", sets=100, checkpoint="", device="cpu")
    torch.set_num_threads(1)
    data, perceiver = open_dataset(given.data), Perceiver.load(given.checkpoint, given.device)
    if data.world.name != perceiver.world.name:
        raise SystemExit(f"the sets are of the {data.world.name} world, the checkpoint of {perceiver.world.name}")
    indices = [index for index, split in data.splits.items() if split == named_split(given.split)][: given.sets]
    scores, frames, busy = Scores(), 0, 0.0
    with bar("Looking at sets", len(indices)) as advance:
        for number, index in enumerate(indices):
            example = data.example(index)
            videos = tuple(example.frames(key) for key in VIDEOS)
            start = time.process_time()
            perception = perceiver.perceive(videos)
            busy, frames = busy + time.process_time() - start, frames + sum(map(len, videos))
            truths = true_videos(example)
            scores.add_set(perception, truths)
            if number < DETECTED:
                scores.add_detections(perceiver.detect_videos(videos), truths)
            advance(1)
    results = Results("ComPhy's perceiver", given.device)
    note = f"{len(indices)} sets, {frames} frames of the {given.split} split, decoded videos"
    report(results, scores, note, data.world.name == PLAIN.name)
    if given.device == "cpu":
        results.add("frames/s on one core", f"{frames / busy:.1f}", "25", "60", "all of perceive(), by processor time")
    results.finish("comphy-perceiver" if data.world.name == PLAIN.name else f"comphy-perceiver-{data.world.name}")


if __name__ == "__main__":
    main()
