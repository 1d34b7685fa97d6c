"""Phy-Q: shoot birds so that all pigs die, in 15 physical scenarios."""
