"""See and simulate: start states and hidden properties are fitted to the videos by simulation."""
