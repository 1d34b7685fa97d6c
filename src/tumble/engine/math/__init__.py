"""Constants, trigonometry, vectors and mass properties."""
