"""The agent `simulation`: it simulates shots with its own model of the physics and plays the best."""
