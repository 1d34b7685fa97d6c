"""Sets and questions on disk: in the published layout, made, checked, exported and loaded."""
