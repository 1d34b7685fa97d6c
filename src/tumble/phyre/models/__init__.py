"""Networks of PHYRE, their data and their training; they know no search and no agent."""
