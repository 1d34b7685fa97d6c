"""CPL: hidden properties and dynamics learned from labels, and answers from them."""
