"""What happens in a set: MuJoCo's physics, events, interactions."""
