"""ComPhy: videos of bodies with hidden mass and charge, and questions about what is, will and would happen."""
