"""Rules of one's own inside the kernel: what they may ask and change."""
