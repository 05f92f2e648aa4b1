"""`python -m r_memory.cli`: the same as the command `r-memory`, for where scripts are not on the path."""

from r_memory.cli import main

main()
