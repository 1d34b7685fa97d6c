"""Phy-Q's report: the paper's figures 4, 5 and 24 made from run logs, with published results."""

from tumble.phyq.report.compose import add_report

__all__ = ["add_report"]
