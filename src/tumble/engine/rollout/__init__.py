"""Rollouts of worlds inside kernels: building worlds, stepping them, saving and resuming, sharing a past."""
