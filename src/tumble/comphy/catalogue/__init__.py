"""What ComPhy's tasks are made of: worlds, bodies and their motion, sets of videos, questions, observations."""
