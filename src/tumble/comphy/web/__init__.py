"""ComPhy's pages."""
