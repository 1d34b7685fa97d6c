"""The explorer: an agent that searches near what evidence of its attempts and of solved tasks suggests."""
