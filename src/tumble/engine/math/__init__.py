"""Constants, trigonometry, vectors, boxes and mass properties."""
