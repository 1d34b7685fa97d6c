"""Closed surfaces (lofted, swept, revolved), convex parts, normals, mass and stability."""
