"""Files of detected tracks in the form of a dataset's own: boxes in pixels, and the attributes of bodies."""

from pathlib import Path

from tumble.comphy.catalogue.body import Body
from tumble.comphy.dataset.json_files import write_json
from tumble.comphy.dataset.layout import VIDEOS, video_name
from tumble.comphy.dataset.motion_files import AUTHOR_SIZE, author_config
from tumble.comphy.dataset.tracks import pixel_boxes, write_boxes
from tumble.comphy.models.perceiver.perception import Perception


def write_perception(
    perception: Perception, targets: Path, references: Path, number: int, size: tuple[int, int] = AUTHOR_SIZE
) -> None:
    """Writes a perception as detected tracks of the set of a number, in pixels of a picture of this size.

    tracks/sim_00000.npy in the folder of targets, tracks/sim_00000_0.npy … in that of references: boxes
    [frame, body, 4], the whole picture for a body that is not seen; config/sim_00000.json …: the attributes. These are
    the files that PCR and CPL read as detected tracks (`v16_prp_refine`, `v16_prp_reference` in the export for CPL).
    """
    videos = (perception.target, *perception.references)
    for key, video in zip(VIDEOS, videos, strict=False):
        folder, name = (targets if key == "target" else references), video_name(number, key)
        write_boxes(folder / "tracks" / f"{name}.npy", pixel_boxes(video.boxes, size), size)
        bodies = tuple(Body(*perception.appearances[k]) for k in video.members)
        write_json(folder / "config" / f"{name}.json", {"config": author_config(bodies, with_properties=False)})
