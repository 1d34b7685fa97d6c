"""Phy-Q as Gymnasium environments."""
