"""Training data: packed motion, pictures rendered from it, and tensors of many sets."""
