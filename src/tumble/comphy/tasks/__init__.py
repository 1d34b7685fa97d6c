"""What a set is, as plain data: bodies, motion, questions."""
