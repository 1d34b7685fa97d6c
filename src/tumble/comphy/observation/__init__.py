"""What is seen of a set: camera, renderers, videos, masks."""
