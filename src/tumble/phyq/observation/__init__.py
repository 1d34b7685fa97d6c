"""What a given state looks like: screenshots, symbolic states, tensors, animations."""
