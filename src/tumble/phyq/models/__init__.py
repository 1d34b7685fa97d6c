"""Networks that learn to solve Phy-Q's tasks, and their training."""
