"""Networks that learn ComPhy, and what trains them; agents answer with them."""
