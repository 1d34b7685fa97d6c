"""Sets and questions on disk, in the published layout: written, verified, exported and loaded."""
