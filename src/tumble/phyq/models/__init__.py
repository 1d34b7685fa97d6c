"""Networks that learn to solve Phy-Q's tasks, their training data and their training."""
