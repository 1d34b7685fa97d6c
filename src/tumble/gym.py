"""Registers the environments of all installed benchmarks with Gymnasium when it is imported, once.

Gymnasium imports the module before the colon of an id by itself, so that no other import is needed:

    import gymnasium
    env = gymnasium.make("tumble.gym:tumble/PHYRE-B-v0")
"""

from tumble.benchmark import benchmarks


def register() -> None:
    """Registers all environments: the package of each benchmark does so when it is imported."""
    benchmarks()


register()
