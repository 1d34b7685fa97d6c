"""A dataset in the files that the Compositional Physics Learner (CPL) reads: its executor and its property learner.

questions/train.json, val.json, test.json, test_answers.json            question and program paths of the executor
v16_prp_refine/config/sim_00000.json, tracks/sim_00000.npy              attributes and boxes of the targets
v16_prp_reference/config/sim_00000_0.json, tracks/sim_00000_0.npy       and of the references
v16/render/causal_sim/sim_00000/annotations/annotation.json             bodies, motion and collisions of the targets
v16/render/reference/sim_00000/0/annotations/annotation.json            and of the references
v16/prediction_prp_mass_charge/sim_00000.json                           inferred properties; here the true ones
v16/predictions_motion_prp/sim_00000.json                               predicted motions; here the simulated ones

Files of the test split are in v16_test_prp_refine, v16_test_prp_reference and v16_test. The config files of the test
split have no masses and charges; v16_test has all that is hidden.
"""

from pathlib import Path
from typing import Any

import numpy as np

from tumble.comphy.catalogue.body import DECIMALS, Body, Motion
from tumble.comphy.catalogue.video_set import VideoSet
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
from tumble.comphy.dataset.layout import VIDEOS, video_name
from tumble.comphy.dataset.load import Dataset
from tumble.comphy.dataset.motion_files import AUTHOR_SIZE, author_annotation, author_config, known_worlds
from tumble.comphy.dataset.tracks import pixel_boxes, project_boxes, write_boxes
from tumble.scene.files import whole_file

FRAME_STEP = 5
"""Frames from one predicted box to the next."""


def write_cpl(data: Dataset, folder: Path, name: str = "ComPhy sets for CPL, made by Tumble") -> None:
    """Writes all sets of a dataset."""
    numbers = new_numbers(data, COMPHY_RANGES)
    with export_folder(data, folder, "cpl"):
        summary = Summary(name, data.settings, data.physics_id)
        questions = write_sets(data, numbers, summary, lambda one: _write_set(one, folder))
        write_question_files(folder / "questions", questions)
        write_index_map(folder, data, numbers)
        counts = ", ".join(f"{split}: {len(sets)}" for split, sets in questions.items())
        sections = {
            "Use": "CPL's scripts have fixed paths: give them those of this folder. Sets are numbered as published: "
            "training from 0 (mass) and from 6000 (charge), validation from 4000, test from 10000, without gaps "
            f"({counts} sets); pass numbers of sets to the scripts accordingly (`--train_ed_idx`, `--num_sim`). "
            "`index_map.json` has the numbers of sets in the dataset.",
            "Predictions": "`predictions_motion_prp` has the simulated motions, projected into the picture at every "
            "fifth frame, in the form of CPL's predictions: an executor that reads them works with perfect dynamics.",
            "Test split": "Its answers are in `questions/test_answers.json`; all that is hidden of its sets is in "
            "`v16_test`. Leave both out for a model under test.",
        }
        with whole_file(folder / "README.md") as partial:
            partial.write_text(card_text(summary, sections, data.faults), encoding="utf-8")


def predictions(videos: VideoSet) -> dict[str, Any]:
    """The motions of a set as predictions: `future` with the whole target, and every known world by mass and charge."""
    known = known_worlds(videos)
    document: dict[str, Any] = {"future": {"what_if": -1, "trajectories": _boxes(videos.bodies, videos.target)}}
    for name in ("mass", "charge"):
        document[name] = [
            {
                "what_if": k,
                name: value,
                "collisions": [],
                "trajectories": _boxes(videos.bodies, motion, SHOWN_FRAMES),
            }
            for (own_name, k, value), motion in known.items()
            if own_name == name
        ]
    return document


def _boxes(bodies: tuple[Body, ...], motion: Motion, frames: int | None = None) -> list[Any]:
    """[body][step][4]: centre x, centre y, width and height from 0 to 1, or -1, at every fifth frame."""
    boxes = project_boxes(bodies, motion)[:frames:FRAME_STEP]
    trajectories: list[Any] = np.round(boxes.astype(float), DECIMALS).transpose(1, 0, 2).tolist()
    return trajectories


def _write_set(one: Numbered, folder: Path) -> None:
    check_references(one)
    videos, name = one.videos, video_name(one.number)
    has_properties = PROPERTIES not in one.example.stored.missing
    is_test = one.example.split == "test"
    boxes = {video: pixel_boxes(one.example.tracks(video), AUTHOR_SIZE) for video in VIDEOS}
    prefix = "v16_test" if is_test else "v16"
    render = folder / prefix / "render"
    for video in VIDEOS:
        bodies = tuple(videos.bodies[k] for k in one.example.members(video))
        motion = videos.target if video == "target" else videos.references[video].motion
        place = folder / f"{prefix}_prp_{'refine' if video == 'target' else 'reference'}"
        visible = {"config": author_config(bodies, has_properties and not is_test)}
        write_json(place / "config" / f"{video_name(one.number, video)}.json", visible)
        write_boxes(place / "tracks" / f"{video_name(one.number, video)}.npy", boxes[video], AUTHOR_SIZE)
        own = Path("causal_sim") / name if video == "target" else Path("reference") / name / str(video)
        document = author_annotation(bodies, motion, has_properties)
        write_json(render / own / "annotations" / "annotation.json", document)
    if has_properties:
        properties = {"config": author_config(videos.bodies, True)}
        write_json(folder / prefix / "prediction_prp_mass_charge" / f"{name}.json", properties)
        write_json(folder / prefix / "predictions_motion_prp" / f"{name}.json", predictions(videos))
