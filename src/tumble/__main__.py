"""`python -m tumble` is the `tumble` command."""

from tumble.cli import main

main()
