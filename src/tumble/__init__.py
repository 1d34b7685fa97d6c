"""Tumble measures physical reasoning: PHYRE, Phy-Q and ComPhy on one fast, deterministic engine."""

__version__ = "0.1.0"
