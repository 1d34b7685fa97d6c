"""A dataset in the folders that the Physical Concept Reasoner (PCR) reads, whose scripts take this folder as DATA_DIR.

questions_release/v16/questions/train.json, val.json, test.json, test_answers.json
annotation_v16/sim_00000/annotation.json, 0.json … 3.json         bodies, motion, collisions; not of the test split
v16/box/sim_00000.npy, v16/box_reference/sim_00000_0.npy …        boxes [frame, body, 4] in pixels of 480 x 320
v16/render/causal_sim/sim_00000/frames/frame_00000.png …          pictures of the target
v16/render/reference/sim_00000/0/frames/frame_00000.png …         and of the references
v16_prp_refine_motion_debug_v3_7/tracks/sim_00000.npy             detected boxes of the target; here the true ones
v16_prp_reference_motion_v1_9/tracks/sim_00000_0.npy …            and of the references
gt_dynamics/sim_00000/motions/mass_0_5.json, charge_1_0.json …    counterfactual motions (`--gt_dynamics_path`)
test_truth/annotation_v16, test_truth/gt_dynamics                 the same of the test split; PCR does not read them
"""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from PIL import Image

from tumble.comphy.catalogue.body import Motion
from tumble.comphy.catalogue.world import SHOWN_FRAMES
from tumble.comphy.dataset.annotations import PROPERTIES
from tumble.comphy.dataset.export.card import Summary, card_text
from tumble.comphy.dataset.export.folder import (
    COMPHY_RANGES,
    Numbered,
    check_references,
    export_folder,
    new_numbers,
    write_index_map,
    write_question_files,
    write_sets,
)
from tumble.comphy.dataset.json_files import write_json
from tumble.comphy.dataset.layout import VIDEOS, VideoKey, video_name
from tumble.comphy.dataset.load import Dataset, Example
from tumble.comphy.dataset.motion_files import (
    AUTHOR_SIZE,
    author_annotation,
    author_config,
    author_motion,
    known_worlds,
)
from tumble.comphy.dataset.tracks import pixel_boxes, write_boxes
from tumble.progress import bar
from tumble.scene.files import whole_file

DETECTED_TARGET = Path("v16_prp_refine_motion_debug_v3_7") / "tracks"
DETECTED_REFERENCE = Path("v16_prp_reference_motion_v1_9") / "tracks"
TEST_TRUTH = "test_truth"
_COMPRESSION = 1
"""Of PNG files: stronger compression takes several times as long and saves a tenth."""


def write_pcr(data: Dataset, folder: Path, name: str = "ComPhy sets for PCR, made by Tumble") -> None:
    """Writes all sets of a dataset; without pictures if it has no videos."""
    numbers = new_numbers(data, COMPHY_RANGES)
    with_videos = data.has_videos
    with export_folder(data, folder, "pcr"):
        summary = Summary(name, data.settings, data.physics_id)
        questions = write_sets(data, numbers, summary, lambda one: _write_set(one, folder, with_videos))
        write_question_files(folder / "questions_release" / "v16" / "questions", questions)
        write_index_map(folder, data, numbers)
        sections = {
            "Use": "Give this folder to PCR's scripts as `DATA_DIR`. Sets are numbered as published: training 0 to "
            "3999 (mass) and 6000 to 9999 (charge), validation 4000 to 5999, test 10000 to 11999; `index_map.json` has "
            "their numbers in the dataset. PCR itself leaves out set 33 and videos 11122 and 11123.",
            "Test split": "Its answers are in `questions_release/v16/questions/test_answers.json`; its hidden "
            f"properties and motions are in `{TEST_TRUTH}`. Leave both out for a model under test.",
        }
        if not with_videos:
            sections["No pictures"] = "The dataset has no videos, so `v16/render` is missing."
        with whole_file(folder / "README.md") as partial:
            partial.write_text(card_text(summary, sections, data.faults), encoding="utf-8")


def _write_set(one: Numbered, folder: Path, with_videos: bool) -> None:
    check_references(one)
    example, number = one.example, one.number
    boxes = {video: pixel_boxes(example.tracks(video), AUTHOR_SIZE) for video in VIDEOS}
    if with_videos:
        for video in VIDEOS:
            example.data.files.check(example.data.layout.video(example.index, video))
    for video in VIDEOS:
        suffix = "" if video == "target" else "_reference"
        detected = DETECTED_TARGET if video == "target" else DETECTED_REFERENCE
        for place in (Path("v16") / f"box{suffix}", detected):
            write_boxes(folder / place / f"{video_name(number, video)}.npy", boxes[video], AUTHOR_SIZE)
    if with_videos:
        with bar(f"Pictures of {video_name(number)}", len(VIDEOS)) as advance:
            for video in VIDEOS:
                _write_pictures(frames_folder(folder, number, video), example.frames(video))
                advance(1)
    _write_truth(one, folder / TEST_TRUTH if example.split == "test" else folder)


def frames_folder(folder: Path, number: int, video: VideoKey) -> Path:
    """The folder of a video's pictures."""
    render = folder / "v16" / "render"
    if video == "target":
        return render / "causal_sim" / video_name(number) / "frames"
    return render / "reference" / video_name(number) / str(video) / "frames"


def _write_pictures(folder: Path, frames: np.ndarray) -> None:
    """Writes frames as PNG files of 480 x 320 pixels, to which the boxes refer."""

    def write(k: int) -> None:
        picture = Image.fromarray(frames[k])
        with whole_file(folder / f"frame_{k:05d}.png") as partial:
            (picture if picture.size == AUTHOR_SIZE else picture.resize(AUTHOR_SIZE)).save(
                partial, compress_level=_COMPRESSION
            )

    folder.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor() as pool:
        list(pool.map(write, range(len(frames))))


def _write_truth(one: Numbered, folder: Path) -> None:
    videos, has_properties = one.videos, PROPERTIES not in one.example.stored.missing
    annotations = folder / "annotation_v16" / video_name(one.number)
    write_json(annotations / "annotation.json", author_annotation(videos.bodies, videos.target, has_properties))
    for k, reference in enumerate(videos.references):
        members = tuple(videos.bodies[member] for member in reference.members)
        write_json(annotations / f"{k}.json", author_annotation(members, reference.motion, has_properties))
    if not has_properties:
        return
    motions = folder / "gt_dynamics" / video_name(one.number) / "motions"
    for (name, k, value), motion in known_worlds(videos).items():
        own = videos.bodies[k].mass if name == "mass" else videos.bodies[k].charge
        if value != own:
            _write_motion(motions / f"{name}_{k}_{value}.json", one.example, motion)


def _write_motion(path: Path, example: Example, motion: Motion) -> None:
    """Writes the places of bodies in the shown frames, which is all that PCR reads of such a file."""
    frames = author_motion({"location": motion.positions[:SHOWN_FRAMES]})
    write_json(path, {"config": author_config(example.videos.bodies, True), "motion": frames})
