"""Settings of trainings: a configuration dataclass with values that were given by name."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from tumble.learning.errors import TrainingError


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
