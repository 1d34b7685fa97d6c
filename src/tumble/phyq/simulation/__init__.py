"""Running physics: shots, episodes, attempts, and the game's rules inside the kernel."""
