"""PCR, the Physical Concept Reasoner: concepts, hidden properties and dynamics learned from questions and answers."""
