"""What happens: actions, attempts and the simulator."""
