"""Physics: actions, attempts and the simulator."""
