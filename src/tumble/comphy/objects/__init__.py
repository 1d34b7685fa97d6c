"""Everyday objects made by code (`registry.build`): closed meshes to look at, convex parts to collide with."""
