"""ComPhy's pages: videos with questions, what is right, and why."""
