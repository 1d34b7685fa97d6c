"""Level sets: complete levels with buildings, several pigs and several birds, in the manner of AIBIRDS competitions."""
