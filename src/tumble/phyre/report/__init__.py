"""PHYRE's report: the tables and figures of the paper's section 4 and appendices, made from run logs."""

from tumble.phyre.report.compose import add_report

__all__ = ["add_report"]
