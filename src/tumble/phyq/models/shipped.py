"""The checkpoints of agents that come with the package."""

from functools import partial

from tumble.learning.shipped import shipped_checkpoint

checkpoint_path = partial(shipped_checkpoint, "tumble.phyq")
