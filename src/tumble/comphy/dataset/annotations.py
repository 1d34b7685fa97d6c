"""Sets as annotation files: ours and those of the published release.

What the published files don't tell (masses and charges of test targets, what would have happened, the files of the
references) is named in `StoredSet.missing`; what is there must be right.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tumble.comphy.dataset.euler import euler_angles
from tumble.comphy.dataset.json_files import DataError, Record, read_json, write_json
from tumble.comphy.dataset.layout import PUBLISHED_SETS, Layout, Which, plan, video_name
from tumble.comphy.dataset.motion_json import motion_fields, read_motion
from tumble.comphy.simulation.simulator import DAMPING, FRICTION
from tumble.comphy.tasks.body import Body, BodyError
from tumble.comphy.tasks.constants import HALF_HEIGHTS, REFERENCE_FRAMES, REFERENCES, SHOWN_FRAMES, TARGET_FRAMES
from tumble.comphy.tasks.motion import DECIMALS, Motion
from tumble.comphy.tasks.video_set import CHANGES, FAMILIES, Alteration, Family, Reference, VideoSet

NO_SEED = -1
"""The seed of a set that isn't ours."""
PROPERTIES, FUTURE, COLLISIONS = "mass and charge", "future", "collisions"
REFERENCE_VIDEOS, ALTERED = "references", "altered motions"


@dataclass(frozen=True)
class StoredSet:
    """A set as it was read."""

    videos: VideoSet
    missing: frozenset[str]
    """What its files don't tell: PROPERTIES (every body is then light and neutral), FUTURE, COLLISIONS, …"""


def write_set(root: Path, videos: VideoSet) -> list[Path]:
    """Writes all annotations of a set; gives their paths."""
    layout = Layout(root)
    documents: dict[Path, Any] = {layout.annotation(videos.index): target_document(videos)}
    for k, reference in enumerate(videos.references):
        documents[layout.annotation(videos.index, k)] = _document(
            videos.index, k, tuple(videos.bodies[member] for member in reference.members), reference.motion
        )
    documents[layout.altered(videos.index)] = {
        "scene_index": videos.index,
        "altered": [
            {"object_idx": change.body, "change": change.change, **motion_fields(motion)}
            for change, motion in videos.altered.items()
        ],
    }
    for path, document in documents.items():
        write_json(path, document)
    return list(documents)


def target_document(videos: VideoSet) -> dict[str, Any]:
    """The annotation of a set's target."""
    own = {"seed": videos.seed, "property_family": videos.family}
    return {**_document(videos.index, "target", videos.bodies, videos.target), **own}


def read_set(root: Path, index: int) -> StoredSet:
    """Reads a set, or says which file and which field of it is wrong."""
    layout = Layout(root)
    path = layout.annotation(index)
    document = Record(read_json(path), str(path))
    bodies, told = _bodies(document)
    target = read_motion(document, len(bodies), SHOWN_FRAMES)
    references = _references(layout, index, bodies)
    altered = _altered(layout.altered(index), len(bodies)) if layout.altered(index).exists() else None
    missing = {
        PROPERTIES: not told,
        FUTURE: target.frames < TARGET_FRAMES,
        COLLISIONS: "collision" not in document and "collisions" not in document,
        REFERENCE_VIDEOS: not references,
        ALTERED: altered is None,
    }
    videos = VideoSet(
        index=index,
        seed=document.whole("seed") if "seed" in document else NO_SEED,
        family=_family(document, index, bodies, told),
        bodies=bodies,
        target=target,
        references=references,
        altered=altered or {},
    )
    return StoredSet(videos, frozenset(name for name, is_missing in missing.items() if is_missing))


def _document(index: int, which: Which, bodies: tuple[Body, ...], motion: Motion) -> dict[str, Any]:
    angles = np.round(euler_angles(motion.orientations[0]), DECIMALS).tolist()
    return {
        "scene_index": index,
        "video_filename": f"{video_name(index, which)}.mp4",
        "object_property": [
            {
                "color": body.color,
                "material": body.material,
                "shape": body.shape,
                "mass": body.mass,
                "charge": body.charge,
                "scale": HALF_HEIGHTS[body.shape],
                "lateral_friction": FRICTION[body.shape],
                "linear_damping": DAMPING[body.shape],
                "initial_orientation": angle,
            }
            for body, angle in zip(bodies, angles, strict=True)
        ],
        **motion_fields(motion),
    }


def _bodies(document: Record) -> tuple[tuple[Body, ...], bool]:
    """The bodies, and whether their masses and charges are told."""
    records = document.records("object_property", "config")
    told = all("mass" in record and "charge" in record for record in records)
    bodies = []
    for record in records:
        hidden = {"mass": record.whole("mass"), "charge": record.whole("charge")} if told else {}
        try:
            bodies.append(Body(record.text("color"), record.text("material"), record.text("shape"), **hidden))
        except BodyError as error:
            raise DataError(f"{record.place}: {error}") from None
        if bodies[-1].looks in [body.looks for body in bodies[:-1]]:
            raise DataError(f"{record.place}: there is a {bodies[-1]} already")
    if not bodies:
        raise DataError(f"{document.place}: object_property names no object")
    return tuple(bodies), told


def _references(layout: Layout, index: int, bodies: tuple[Body, ...]) -> tuple[Reference, ...]:
    """The references, whose bodies are known by their looks; none where none has a file."""
    paths = [layout.annotation(index, k) for k in range(REFERENCES)]
    if not any(path.exists() for path in paths):
        return ()
    own = {body.looks: k for k, body in enumerate(bodies)}
    found = []
    for path in paths:
        document = Record(read_json(path), str(path))
        shown, _ = _bodies(document)
        for body in shown:
            if body.looks not in own:
                raise DataError(f"{path}: the target has no {body}; it has {', '.join(map(str, bodies))}")
        members = tuple(own[body.looks] for body in shown)
        found.append(Reference(members, read_motion(document, len(members), REFERENCE_FRAMES)))
    return tuple(found)


def _altered(path: Path, bodies: int) -> Mapping[Alteration, Motion]:
    found = {}
    for record in Record(read_json(path), str(path)).records("altered"):
        body, word = record.whole("object_idx"), record.text("change")
        change = next((known for known in CHANGES if known == word), None)
        if change is None:
            raise DataError(f"{record.place}: no change {word!r}; there are {', '.join(CHANGES)}")
        if not 0 <= body < bodies:
            raise DataError(f"{record.place}: object_idx must be one of the {bodies} objects, not {body}")
        found[Alteration(body, change)] = read_motion(record, bodies, SHOWN_FRAMES)
    return found


def _family(document: Record, index: int, bodies: tuple[Body, ...], told: bool) -> Family:
    """As the file says; else by the properties, or by the index where even these are hidden."""
    if "property_family" in document:
        named = document.text("property_family")
        if named not in FAMILIES:
            raise DataError(f"{document.place}: no property_family {named!r}; there are {', '.join(FAMILIES)}")
        return next(family for family in FAMILIES if family == named)
    if not told:
        return plan(PUBLISHED_SETS)[index].family if index < PUBLISHED_SETS else "both"
    charged, heavy = any(body.is_charged for body in bodies), any(body.is_heavy for body in bodies)
    return "both" if charged and heavy else "charge" if charged else "mass"
