"""Looks up a set by its number, in a dataset, or generates it from a seed; parses sizes and families."""

import re
from dataclasses import dataclass
from pathlib import Path

from tumble.comphy.dataset.load import Dataset, open_dataset
from tumble.comphy.dataset.settings import Settings
from tumble.comphy.generation.make_set import make_set
from tumble.comphy.questions.ask import ask_block
from tumble.comphy.questions.programs.symbolic_scene import symbolic_scene
from tumble.comphy.tasks.body import world_of_bodies
from tumble.comphy.tasks.question import QuestionSet
from tumble.comphy.tasks.video_set import Family, VideoSet, named_family
from tumble.comphy.tasks.world import PLAIN
from tumble.errors import TumbleError
from tumble.output import spinner


@dataclass(frozen=True, eq=False)
class LoadedSet:
    """A set, and the dataset that it comes from; None if it was generated."""

    videos: VideoSet
    data: Dataset | None

    def questions(self) -> QuestionSet:
        """The questions of the dataset, or generated ones with as many options as in the test split."""
        if self.data is not None:
            return self.data.questions.get(self.videos.index, QuestionSet(self.videos.index, ()))
        options = Settings(1, 1, None, world=world_of_bodies(self.videos.bodies).name).option_settings("test")
        return ask_block({self.videos.index: symbolic_scene(self.videos)}, self.videos.seed, options)[0]

    def mp4_files(self) -> list[bytes]:
        """The MP4 files of the dataset; empty unless it has all of the set."""
        if self.data is None:
            return []
        layout, index = self.data.layout, self.videos.index
        paths = [self.data.files.check(layout.video(index, which)) for which in layout.videos]
        return [path.read_bytes() for path in paths] if all(path.exists() for path in paths) else []


def find_set(text: str, data: Path | None, seed: int, family: str | None, world: str = PLAIN.name) -> LoadedSet:
    """The set with a number like 00042; seed, family and world are those of a set that is not in a dataset."""
    if not re.fullmatch(r"\d{1,9}", text):
        raise TumbleError(f"{text!r} is not a set; sets have numbers, as in 00042")
    index = int(text)
    if data is not None:
        dataset = open_dataset(data)
        if dataset.is_real:
            raise TumbleError(
                f"{data}: real videos have no annotations of motion, so sets can't be shown or asked about"
            )
        return LoadedSet(dataset.example(index).videos, dataset)
    with spinner("Generating the set …"):
        return LoadedSet(make_set(index, parse_family(family), seed, world), None)


def parse_size(text: str) -> tuple[int, int]:
    """Width and height of a size like 240x160."""
    match = re.fullmatch(r"(\d{1,5})x(\d{1,5})", text)
    if not match:
        raise TumbleError(f"a size is a width and a height, as in 240x160, not {text!r}")
    return int(match[1]), int(match[2])


def parse_family(name: str | None) -> Family | None:
    """A family by its name; None for None."""
    return None if name is None else named_family(name)
