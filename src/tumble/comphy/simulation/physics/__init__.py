"""The kernel that simulates worlds: contacts, impulses, the table, charges and steps."""
