"""Everyday objects made by code: closed meshes to look at, and convex parts to collide with.

`registry.build("mug", seed)` makes one. A category is a file in `categories`; the shapes are made with `geometry`.
"""
