"""One step of a world: islands, the contact solver, continuous collision."""
