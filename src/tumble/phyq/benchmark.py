"""Phy-Q as Tumble's command line, run logs and reports know it."""

from tumble.benchmark_package import PackageBenchmark


class PhyQ(PackageBenchmark):
    name = "phyq"
    title = "Phy-Q"
    summary = "shoot birds so that all pigs die."
    position = 2
    columns = ("agent", "setting", "seed", "attempts", "tasks", "finished", "passed, %", "Phy-Q")
    package = "tumble.phyq"
    spec_class = "PhyQRunSpec"


PHYQ = PhyQ()
