"""The agent `simulation`: it imagines shots with its own model of the physics and plays the best."""
