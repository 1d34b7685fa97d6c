"""One step of a world: islands, the contact solver, position correction, continuous collision."""
