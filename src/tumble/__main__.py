"""`python -m tumble` is the `tumble` command."""

from tumble.cli.app import main

main()
