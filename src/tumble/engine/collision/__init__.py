"""Which shapes touch, where and when: broad phase, contacts, manifolds, distance, time of impact, events."""
