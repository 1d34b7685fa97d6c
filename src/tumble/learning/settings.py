"""Trainings as commands know them, without PyTorch: errors, settings by name, and shipped checkpoints."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from importlib import resources
from pathlib import Path
from typing import Any

from tumble.errors import TumbleError
from tumble.runs.participant import AgentError


class TrainingError(TumbleError):
    """A checkpoint, a device or settings that training or a trained network can't use."""


class PausedError(AgentError):
    """The training of an agent stopped because its time was over; the same call resumes it."""


def configured(name: str, config_class: type, given: Mapping[str, Any]) -> Any:
    """The configuration of the model `name`, with given values in place of defaults; their types must agree."""
    defaults = config_class()
    known = {field.name: type(getattr(defaults, field.name)) for field in fields(config_class)}
    for setting, value in given.items():
        if setting not in known:
            raise TrainingError(f"{name} has no setting {setting!r}; it has {', '.join(known)}")
        if not isinstance(value, known[setting]) and not (known[setting] is float and isinstance(value, int)):
            raise TrainingError(f"{name}: {setting} must be {known[setting].__name__}, not {value!r}")
    return config_class(**given)


def shipped_checkpoint(package: str, name: str, given: str | Path = "") -> Path:
    """The file of a model's weights: the given one, or else the one that comes with a benchmark's package."""
    if given:
        return Path(given)
    path = Path(str(resources.files(package))) / "data" / "checkpoints" / f"{name}.pt"
    if not path.exists():
        raise TrainingError(f"no weights of {name!r} come with the package; train them, and give the checkpoint's file")
    return path


@contextmanager
def needs_torch(what: str) -> Iterator[None]:
    """A context around imports: if PyTorch is not installed, the error says that `what` needs it."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise TumbleError(f'{what} needs PyTorch: pip install "tumble[agents]"') from None
