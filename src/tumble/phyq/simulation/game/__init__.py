"""The rule of the game, inside the kernel: what happens to a level between two steps of the physics."""
