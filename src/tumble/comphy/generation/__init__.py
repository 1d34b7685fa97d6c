"""How sets are made: draws, simulation, checks, files."""
