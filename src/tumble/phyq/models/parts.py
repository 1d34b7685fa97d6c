"""The parts of a setting: what each of a learner's networks trains on and is tested on."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from tumble.learning.errors import TrainingError
from tumble.phyq.tasks.splits import Split, broad, first_training_tasks, local
from tumble.phyq.tasks.template import TemplateError
from tumble.phyq.tasks.templates import SCENARIOS, templates

SETTINGS = ("broad", "local")
OWN = "own"
"""The setting of a part with other training tasks."""


@dataclass(frozen=True)
class Part:
    """What one network trains on and is tested on."""

    setting: str
    """broad, local or OWN."""
    key: str
    """A scenario as in "3", or a template as in "6.4"; of own tasks a digest."""
    split: Split

    @property
    def label(self) -> str:
        """As in broad-03, local-6.4 and own-1f0a93c2."""
        return f"broad-{int(self.key):02d}" if self.setting == "broad" else f"{self.setting}-{self.key}"


def parts_of(setting: str, only: Sequence[str] = ()) -> list[Part]:
    """The parts of a setting, one for each network; `only` selects scenarios and templates.

    >>> [part.label for part in parts_of("local", ["6.4", "7.1"])]
    ['local-6.4', 'local-7.1']
    """
    if setting not in SETTINGS:
        raise TrainingError(f"no setting {setting!r} to train for; there are {', '.join(SETTINGS)}")
    for name in only:
        if name not in templates() and not (name.isdigit() and int(name) in SCENARIOS):
            raise TemplateError(f"{name!r} is not a scenario or a template, as in 3 or 6.4")
    if setting == "broad":
        wrong = next((name for name in only if "." in name), None)
        if wrong is not None:
            raise TrainingError(f"broad networks are of scenarios, as in 6, not of templates as {wrong}")
        keys = [str(number) for number in SCENARIOS if not only or str(number) in only]
        return [Part(setting, key, broad(int(key))) for key in keys]
    keys = [key for key in templates() if not only or key in only or key.partition(".")[0] in only]
    return [Part(setting, key, local(key)) for key in keys]


def part_of_training(task_ids: Sequence[str]) -> Part:
    """The part whose training tasks these are; if there is none, one of these tasks alone."""
    first = next(iter(task_ids), "").partition(":")[0]
    if first in templates():
        scenario = first.partition(".")[0]
        for part in (Part("local", first, local(first)), Part("broad", scenario, broad(int(scenario)))):
            if part.split.train == list(task_ids):
                return part
    digest = sha256(" ".join(task_ids).encode()).hexdigest()[:8]
    return Part(OWN, digest, Split(list(task_ids), []))


def with_fewer(part: Part, most_templates: int | None, most_tasks: int | None) -> Part:
    """The part with the first training tasks of the first templates only; None for all of them."""
    train = first_training_tasks(part.split.train, most_templates, most_tasks)
    return replace(part, split=Split(train, part.split.test))


def part_of_task(setting: str, task_id: str) -> Part:
    """The part of a task's scenario (broad) or template (local).

    >>> part_of_task("broad", "6.4:017").label
    'broad-06'
    """
    key = task_id.partition(":")[0]
    if key not in templates():
        raise TrainingError(f"{task_id} is of no template; name a network for it, as in part=broad-03")
    return parts_of(setting, [key.partition(".")[0] if setting == "broad" else key])[0]


def part_of_label(label: str) -> Part:
    """The part of a label, as in broad-03 or local-6.4."""
    setting, _, key = label.partition("-")
    if not key:
        raise TrainingError(f"{label!r} is no network's label, as in broad-03 or local-6.4")
    parts = parts_of(setting, [key.lstrip("0")])
    if parts[0].label != label:
        raise TrainingError(f"{label!r} is no network's label; did you mean {parts[0].label}?")
    return parts[0]
