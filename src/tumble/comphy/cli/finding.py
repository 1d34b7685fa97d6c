"""Sets by what people type: a number, of some data or made now from a seed."""

import re
from dataclasses import dataclass
from pathlib import Path

from tumble.comphy.dataset.layout import PUBLISHED_SETS, VIDEOS, plan_sets
from tumble.comphy.dataset.load import Dataset, open_dataset
from tumble.comphy.generation.make_set import make_set
from tumble.comphy.questions.ask import SPLIT_OPTIONS, ask_block
from tumble.comphy.questions.programs.symbolic_scene import symbolic_scene
from tumble.comphy.tasks.question import QuestionSet
from tumble.comphy.tasks.video_set import FAMILIES, Family, VideoSet
from tumble.errors import TumbleError
from tumble.output import spinner


@dataclass(frozen=True, eq=False)
class Found:
    """A set; its data where it is of some."""

    videos: VideoSet
    data: Dataset | None

    def questions(self) -> QuestionSet:
        """The questions about it: those of the data, or some that are asked now, with as many options as a test has."""
        if self.data is not None:
            return self.data.questions.get(self.videos.index, QuestionSet(self.videos.index, ()))
        return ask_block({self.videos.index: symbolic_scene(self.videos)}, self.videos.seed, SPLIT_OPTIONS["test"])[0]

    def films(self) -> list[bytes]:
        """The videos of the data, where it has them all."""
        if self.data is None:
            return []
        paths = [self.data.layout.video(self.videos.index, which) for which in VIDEOS]
        return [path.read_bytes() for path in paths] if all(path.exists() for path in paths) else []


def find_set(text: str, data: Path | None, seed: int, family: str | None) -> Found:
    """The set of a number like 00042."""
    if not re.fullmatch(r"\d{1,9}", text):
        raise TumbleError(f"{text!r} is no set; sets have numbers, as in 00042")
    index = int(text)
    if data is not None:
        opened = open_dataset(data)
        return Found(opened.example(index).videos, opened)
    with spinner("Making the set …"):
        return Found(make_set(index, _family(index, family), seed), None)


def parsed_size(text: str) -> tuple[int, int]:
    """A size as in 240x160."""
    found = re.fullmatch(r"(\d{1,5})x(\d{1,5})", text)
    if not found:
        raise TumbleError(f"a size is a width and a height, as in 240x160, not {text!r}")
    return int(found[1]), int(found[2])


def named_family(name: str | None) -> Family | None:
    """A family by its name."""
    if name is None:
        return None
    found = next((family for family in FAMILIES if family == name), None)
    if found is None:
        raise TumbleError(f"no family {name!r}; there are {', '.join(FAMILIES)}")
    return found


def _family(index: int, name: str | None) -> Family:
    """As named, or as the published set of this number has it."""
    named = named_family(name)
    return named or plan_sets(PUBLISHED_SETS)[index % PUBLISHED_SETS].family
