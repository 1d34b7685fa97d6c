"""The perceiver: from the pictures of five videos to bodies, their looks and their tracks."""
