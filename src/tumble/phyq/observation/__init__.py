"""What is seen of a level: screenshots, symbolic states, tensors, animations."""
