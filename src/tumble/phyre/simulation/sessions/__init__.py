"""Worlds that can be changed midway: moments, interventions, branches and sessions."""
