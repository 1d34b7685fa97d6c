"""Rules that run inside the kernel after each step: what they may read and change."""
