"""Training of networks, for all benchmarks: checkpoints, devices, and a loop that can be stopped and resumed."""
