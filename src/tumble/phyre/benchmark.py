"""PHYRE as Tumble's command line, run logs and reports know it."""

from tumble.benchmark_package import PackageBenchmark


class Phyre(PackageBenchmark):
    name = "phyre"
    title = "PHYRE"
    summary = "place balls so that two bodies come to touch."
    position = 1
    columns = ("agent", "setting", "fold", "seed", "tasks", "finished", "AUCCESS")
    needs_all_attempts = False
    package = "tumble.phyre"
    spec_class = "PhyreRunSpec"


PHYRE = Phyre()
