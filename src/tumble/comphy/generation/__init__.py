"""How datasets are generated: draws, simulation, checks, files."""
