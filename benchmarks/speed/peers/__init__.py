"""Other engines on the same scenes, one adapter each; `peer.py` says what an adapter is."""
