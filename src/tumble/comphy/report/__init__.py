"""ComPhy's report: the paper's tables 3, 5, 6 and 7 made from run logs, with published results."""

from tumble.comphy.report.scores import add_report

__all__ = ["add_report"]
