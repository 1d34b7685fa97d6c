"""Makes the settings of a learner by name, from a preset and from settings that differ from it."""

from collections.abc import Mapping
from typing import Any

from tumble.learning.errors import TrainingError
from tumble.learning.settings import configured
from tumble.phyq.models.q_config import DEFAULT_PRESET, PRESETS, QConfig
from tumble.phyq.models.registry import entry


def make_config(name: str, preset: str = DEFAULT_PRESET, settings: Mapping[str, Any] | None = None) -> QConfig:
    """The settings of a learner.

    >>> make_config("dddqn-symbolic", "paper").round_count(80)
    16
    """
    found = entry(name)
    if preset not in PRESETS:
        raise TrainingError(f"no preset {preset!r}; there are {', '.join(PRESETS)}")
    config: QConfig = configured(name, found.load(), {**found.settings, **PRESETS[preset], **(settings or {})})
    return config
