"""What a set looks like: camera, renderers, videos, masks."""
