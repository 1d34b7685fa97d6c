"""A TCP server that speaks the agent protocol of the original, so that its clients can play our tasks."""
