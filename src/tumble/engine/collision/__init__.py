"""Which shapes touch, where and when: broad phase, manifolds, distance, time of impact, contacts, events."""
