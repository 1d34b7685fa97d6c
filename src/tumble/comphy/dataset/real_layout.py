"""The paths in a folder of real videos: a target and three references of magnets and weights on a table.

The files are not ours. This is how the published loader finds them, and what we assume where it says nothing:

data/train.json, val.json                            questions, as in the published files of simulated videos; a set
                                                     belongs to the split of the file that asks about it. They may also
                                                     lie in the folder `questions`, or beside the other folders.
box/sim_00042.npy                                    boxes of the target: [frame, body, 4], (left, top, right, bottom)
                                                     in pixels of a picture of 480x320, whatever the video's size; the
                                                     whole picture for a body that is not visible
box_reference/sim_00042_0.npy … _2.npy               the same of the three references
causal_sim/sim_00042/frames/frame_00000.png …        pictures of the target, or causal_sim/sim_00042.mp4
reference/sim_00042/0/frames/frame_00000.png …       pictures of a reference, or reference/sim_00042_0.mp4

Assumed, since the published loader reads no such files:

box/sim_00042.json, box_reference/sim_00042_0.json   looks of the bodies in the order of the boxes' columns:
                                                     {"config": [{"color": "red", "shape": "cube"}, …]}; "material" may
                                                     be left out (rubber then), "mass" (1 or 5) and "charge" (-1, 0 or
                                                     1, for magnets too) may be given. Only models that are given
                                                     tracks need them, and training; models that see find looks.
"""

from collections.abc import Iterator
from pathlib import Path

from tumble.comphy.dataset.layout import QUESTION_FILES, Layout, Split, VideoKey, video_name

REFERENCES = 3
"""Reference videos of a real set."""
FAULTY_SETS = frozenset((0, 1, 33, 34, 36, 51, 57, 68))
"""Sets that the published loader leaves out."""
REPLACED_REFERENCES = {
    (24, 2): 0,
    (30, 0): 1,
    (54, 2): 0,
    (62, 0): 2,
    (62, 1): 2,
    (65, 0): 1,
    (69, 0): 1,
    (71, 2): 1,
    (73, 1): 0,
    (77, 0): 1,
    (79, 1): 0,
}
"""Set and number of each faulty reference, and the number of the one that the published loader takes instead."""
BOXES, REFERENCE_BOXES = "box", "box_reference"
_PICTURES = {True: "causal_sim", False: "reference"}
"""Folders of pictures, for the target and the references."""
_QUESTION_FOLDERS = ("data", "questions", ".")


class RealLayout(Layout):
    """The paths in a folder of real videos."""

    @property
    def reference_count(self) -> int:
        return REFERENCES

    def annotation(self, index: int, video: VideoKey = "target") -> Path:
        """The looks of the bodies in a video; there are no annotations of motion."""
        return self.tracks(index, video).with_suffix(".json")

    def video(self, index: int, video: VideoKey = "target") -> Path:
        """The folder with the pictures of a video, or a video file if there is no such folder."""
        video = _replaced(index, video)
        folder = self.root / _PICTURES[video == "target"]
        own = folder / video_name(index)
        frames = (own if video == "target" else own / str(video)) / "frames"
        file = folder / f"{video_name(index, video)}.mp4"
        return file if file.exists() and not frames.exists() else frames

    def tracks(self, index: int, video: VideoKey = "target") -> Path:
        """The bounding boxes of the bodies in a video."""
        video = _replaced(index, video)
        return self.root / (BOXES if video == "target" else REFERENCE_BOXES) / f"{video_name(index, video)}.npy"

    def questions(self, split: Split) -> Path:
        """The questions of a split."""
        paths = [self.root / folder / f"{QUESTION_FILES[split]}.json" for folder in _QUESTION_FOLDERS]
        return next((path for path in paths if path.exists()), paths[0])

    def indices(self) -> Iterator[int]:
        """The sets that have boxes of the target, in order, without the faulty ones."""
        for path in sorted((self.root / BOXES).glob("sim_*.npy")):
            number = path.stem.removeprefix("sim_")
            if number.isdecimal() and int(number) not in FAULTY_SETS:
                yield int(number)


def is_real(root: Path) -> bool:
    """Whether a folder has the layout of real videos."""
    return (root / BOXES).is_dir() and (root / REFERENCE_BOXES).is_dir()


def _replaced(index: int, video: VideoKey) -> VideoKey:
    """The video that is used for a video."""
    return video if video == "target" else REPLACED_REFERENCES.get((index, video), video)
