"""Graph networks over tracks on the table plane: hidden properties, motion, and collisions."""
