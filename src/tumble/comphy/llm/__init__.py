"""ComPhy for language and vision models: questions about sets as puzzles with prompts in text or pictures."""
