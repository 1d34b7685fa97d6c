"""What happens: shots, episodes and the game's rules inside the kernel."""
