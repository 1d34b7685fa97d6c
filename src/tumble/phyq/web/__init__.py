"""Phy-Q's pages: levels by scenario, a page for each task, and people's shots."""
