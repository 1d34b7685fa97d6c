"""ComPhy as Tumble's command line, run logs and reports know it."""

from tumble.benchmark_package import PackageBenchmark


class ComPhy(PackageBenchmark):
    name = "comphy"
    title = "ComPhy"
    summary = "infer hidden mass and charge from videos, answer questions."
    position = 3
    columns = ("model", "split", "seed", "sets", "finished", "given", "factual", "predictive", "counterfactual")
    package = "tumble.comphy"
    spec_class = "ComPhyRunSpec"


COMPHY = ComPhy()
